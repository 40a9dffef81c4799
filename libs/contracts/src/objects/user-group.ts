import { z } from 'zod'
import { GroupSettingValue, Timestamp } from './values.ts'

/** The group-valued permissions of a user group. */
export const groupPermissionFields = {
  can_add_members_group: GroupSettingValue,
  can_join_group: GroupSettingValue,
  can_leave_group: GroupSettingValue,
  can_manage_group: GroupSettingValue,
  can_mention_group: GroupSettingValue,
  can_remove_members_group: GroupSettingValue,
}
export type GroupPermissionName = keyof typeof groupPermissionFields

/** The user group object (facts, section 1). */
export const UserGroup = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  date_created: Timestamp.nullable(),
  creator_id: z.int().nullable(),
  /** Active accounts that are in the group directly. */
  members: z.array(z.int()),
  direct_subgroup_ids: z.array(z.int()),
  is_system_group: z.boolean(),
  ...groupPermissionFields,
  deactivated: z.boolean(),
})
export type UserGroup = z.infer<typeof UserGroup>
