import { refuse } from '@parley/contracts'
import type { PermissionSetting } from '@parley/contracts/identity/permission-settings'
import type { RealmFact, SystemGroupName } from '@parley/contracts/identity/topics'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Queries } from '../room.ts'
import { groupsByIds } from './group-store.ts'

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
export const sameSetting = (one: GroupSettingValue, other: GroupSettingValue): boolean =>
  JSON.stringify(normalized(one)) === JSON.stringify(normalized(other))

/**
 * Checks a new value of a group-valued setting, and writes it in its normal form.
 *
 * @throws ApiError BAD_REQUEST, SYSTEM_GROUP_REQUIRED
 */
export const demandSettingValue = async (
  sql: Queries,
  realm: { readonly id: number; readonly system_groups: RealmFact['system_groups'] },
  name: string,
  setting: PermissionSetting,
  sent: GroupSettingValue,
): Promise<GroupSettingValue> => {
  const value = normalized(sent)
  const ids = typeof value === 'number' ? [value] : value.direct_subgroups
  const groups = await groupsByIds(sql, realm.id, ids)
  const missing = ids.find((id) => !groups.some((group) => group.id === id && !group.deactivated))
  if (missing !== undefined) throw refuse('BAD_REQUEST', `Invalid user group ID: ${missing}`)
  const isSystemGroup = groups.length === 1 && groups[0]!.is_system_group && typeof value === 'number'
  if (setting.require_system_group && !isSystemGroup) {
    throw refuse('SYSTEM_GROUP_REQUIRED', `'${name}' must be a system user group.`, { setting_name: name })
  }
  const forbidden: readonly SystemGroupName[] = [
    ...(setting.allow_internet_group ? [] : (['role:internet'] as const)),
    ...(setting.allow_nobody_group ? [] : (['role:nobody'] as const)),
    ...(setting.allow_everyone_group ? [] : (['role:everyone'] as const)),
  ]
  const { allowed_system_groups: allowed } = setting
  for (const group of groups) {
    const isForbidden =
      group.is_system_group &&
      (forbidden.includes(group.name as SystemGroupName) ||
        (allowed.length > 0 && !allowed.includes(group.name as SystemGroupName)))
    if (isForbidden) throw refuse('BAD_REQUEST', `'${name}' setting cannot be set to '${group.name}' group.`)
  }
  if (typeof value === 'number') return value
  if (!setting.allow_nobody_group && value.direct_members.length === 0 && ids.length === 0) {
    throw refuse('BAD_REQUEST', `'${name}' setting cannot be set to nobody.`)
  }
  await demandActiveUsers(sql, realm.id, value.direct_members)
  return value
}

/** @throws ApiError BAD_REQUEST when one of `ids` is no active account of the organization. */
export const demandActiveUsers = async (
  sql: Queries,
  realmId: number,
  ids: readonly number[],
): Promise<void> => {
  if (ids.length === 0) return
  const rows = await sql<{ id: number }[]>`
    SELECT id FROM users WHERE realm_id = ${realmId} AND is_active AND id = ANY (${[...ids]}::bigint[])`
  const found = new Set(rows.map(({ id }) => id))
  const missing = ids.find((id) => !found.has(id))
  if (missing !== undefined) throw refuse('BAD_REQUEST', `Invalid user ID: ${missing}`)
}
