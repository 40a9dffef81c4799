import type { GroupFact, RealmFact } from '@parley/contracts/identity/topics'
import {
  type GroupPermissionName,
  groupPermissionFields,
  type UserGroup,
} from '@parley/contracts/objects/user-group'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { GroupRow } from './group-store.ts'

type SystemGroups = RealmFact['system_groups']

/** System groups have no settings of their own: nobody may change them. */
const setting = (
  settings: GroupRow['settings'],
  name: GroupPermissionName,
  nobody: number,
): GroupSettingValue => settings[name] ?? nobody

/** The user group object. */
export const groupObject = (group: GroupRow, system: SystemGroups): UserGroup => ({
  id: group.id,
  name: group.name,
  description: group.description,
  date_created: group.date_created,
  creator_id: group.creator_id,
  members: group.active_member_ids,
  direct_subgroup_ids: group.subgroup_ids,
  is_system_group: group.is_system_group,
  ...(Object.fromEntries(
    Object.keys(groupPermissionFields).map((name) => [
      name,
      setting(group.shown_settings, name as GroupPermissionName, system['role:nobody']),
    ]),
  ) as Record<GroupPermissionName, GroupSettingValue>),
  deactivated: group.deactivated,
})

/** What other services keep of a group. */
export const groupFact = (group: GroupRow, system: SystemGroups): GroupFact => ({
  id: group.id,
  realm_id: group.realm_id,
  name: group.name,
  is_system_group: group.is_system_group,
  is_active: !group.deactivated,
  member_ids: group.member_ids,
  subgroup_ids: group.subgroup_ids,
  can_mention_group: setting(group.settings, 'can_mention_group', system['role:nobody']),
  version: group.version,
})

/** How a change of what is in a group names it. */
export const namedGroup = ({ id, deactivated }: Pick<GroupRow, 'id' | 'deactivated'>) => ({
  group_id: id,
  ...(deactivated ? ({ deactivated } as const) : {}),
})
