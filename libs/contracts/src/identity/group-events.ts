import { z } from 'zod'
import type { ClientShape } from '../client-shape.ts'
import { event } from '../event.ts'
import { groupPermissionFields, UserGroup } from '../objects/user-group.ts'

/** A user group was created. */
export const userGroupAdd = event({ type: 'user_group', op: 'add', fields: { group: UserGroup } })

/** What the owner of the change writes down for clients that do not know deactivated groups. */
interface WrittenUpdate {
  readonly group_id: number
  readonly data: { readonly deactivated?: boolean }
  readonly group: UserGroup
}

/**
 * Clients that do not know deactivated groups see one go and come back, and nothing of it in between ("else add/remove
 * events stand in").
 */
const shapeUpdate = (event: Record<string, unknown>, client: ClientShape): Record<string, unknown>[] => {
  const { group, ...update } = event as Record<string, unknown> & WrittenUpdate
  if (client.capabilities.include_deactivated_groups) return [update]
  const { deactivated } = update.data
  if (deactivated === true) return [{ type: 'user_group', op: 'remove', group_id: update.group_id }]
  if (deactivated === false) return [{ type: 'user_group', op: 'add', group }]
  return group.deactivated ? [] : [update]
}

/** Settings of a user group changed, or it was deactivated or brought back; `group` is how it is now. */
export const userGroupUpdate = event({
  type: 'user_group',
  op: 'update',
  fields: {
    group_id: z.int(),
    data: z
      .strictObject({
        name: z.string(),
        description: z.string(),
        ...groupPermissionFields,
        deactivated: z.boolean(),
      })
      .partial(),
    group: UserGroup,
  },
  shape: shapeUpdate,
})

/** What is in a group changed. Of one that is deactivated, only those hear who know that there are such. */
const contentChange = <Op extends string, Fields extends z.ZodRawShape>(op: Op, fields: Fields) =>
  event({
    type: 'user_group',
    op,
    fields: { group_id: z.int(), ...fields, deactivated: z.literal(true).optional() },
    shape: ({ deactivated, ...told }: Record<string, unknown>, client) =>
      deactivated === true && !client.capabilities.include_deactivated_groups ? [] : [told],
  })

const members = { user_ids: z.array(z.int()) }
const subgroups = { direct_subgroup_ids: z.array(z.int()) }

export const userGroupAddMembers = contentChange('add_members', members)
export const userGroupRemoveMembers = contentChange('remove_members', members)
export const userGroupAddSubgroups = contentChange('add_subgroups', subgroups)
export const userGroupRemoveSubgroups = contentChange('remove_subgroups', subgroups)
