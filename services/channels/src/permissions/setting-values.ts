import { refuse } from '@parley/contracts'
import type { PermissionSetting } from '@parley/contracts/identity/permission-settings'
import type { SystemGroupName } from '@parley/contracts/identity/topics'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Deps } from '../room.ts'
import { findGroups } from './find-groups.ts'

const inOrder = (ids: readonly number[]): number[] => [...new Set(ids)].sort((a, b) => a - b)

/** The one way in which a value is written: "anonymous one-group values are returned as the plain id". */
const normalized = (value: GroupSettingValue): GroupSettingValue => {
  if (typeof value === 'number') return value
  const direct_members = inOrder(value.direct_members)
  const direct_subgroups = inOrder(value.direct_subgroups)
  const [only] = direct_subgroups
  return direct_members.length === 0 && direct_subgroups.length === 1
    ? only!
    : { direct_members, direct_subgroups }
}

/** Whether two values mean the same. */
export const isSameSetting = (one: GroupSettingValue, other: GroupSettingValue): boolean =>
  JSON.stringify(normalized(one)) === JSON.stringify(normalized(other))

/**
 * Checks a new value of a group-valued setting, and writes it in its normal form.
 *
 * @throws ApiError BAD_REQUEST for groups and accounts that do not exist here or are deactivated, and for system groups
 * that the setting does not take; SYSTEM_GROUP_REQUIRED.
 */
export const demandSettingValue = async (
  deps: Pick<Deps, 'database' | 'users' | 'ask'>,
  realmId: number,
  name: string,
  setting: PermissionSetting,
  sent: GroupSettingValue,
): Promise<GroupSettingValue> => {
  const value = normalized(sent)
  const ids = typeof value === 'number' ? [value] : value.direct_subgroups
  const groups = await findGroups(deps, realmId, ids)
  for (const id of ids) {
    if (groups.get(id)?.is_active !== true) throw refuse('BAD_REQUEST', `Invalid user group ID: ${id}`)
  }
  if (setting.require_system_group && (typeof value !== 'number' || !groups.get(value)!.is_system_group)) {
    throw refuse('SYSTEM_GROUP_REQUIRED', `'${name}' must be a system user group.`, { setting_name: name })
  }
  for (const group of groups.values()) {
    if (group.is_system_group && !takes(setting, group.name as SystemGroupName)) {
      throw refuse('BAD_REQUEST', `'${name}' setting cannot be set to '${group.name}' group.`)
    }
  }
  if (typeof value === 'number') return value
  if (!setting.allow_nobody_group && value.direct_members.length === 0 && ids.length === 0) {
    throw refuse('BAD_REQUEST', `'${name}' setting cannot be set to nobody.`)
  }
  const users = await deps.users.byIds(realmId, value.direct_members)
  for (const id of value.direct_members) {
    if (users.get(id)?.is_active !== true) throw refuse('BAD_REQUEST', `Invalid user ID: ${id}`)
  }
  return value
}

const takes = (setting: PermissionSetting, name: SystemGroupName): boolean => {
  if (name === 'role:internet' && !setting.allow_internet_group) return false
  if (name === 'role:nobody' && !setting.allow_nobody_group) return false
  if (name === 'role:everyone' && !setting.allow_everyone_group) return false
  return setting.allowed_system_groups.length === 0 || setting.allowed_system_groups.includes(name)
}
