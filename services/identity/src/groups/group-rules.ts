import { limits } from '@parley/contracts'
import { codePoints } from '@parley/contracts/objects/values'
import type { GroupRow } from './group-store.ts'
import type { Permissions } from './permissions.ts'

/** What the message syntax and system groups begin with. */
const reservedPrefixes = ['@', 'role:', 'user:', 'stream:', 'channel:']

/** What is wrong with the name of a group, which is to be trimmed already; undefined when nothing is. */
export const groupNameFinding = (name: string): string | undefined => {
  if (name === '') return "User group name can't be empty!"
  if (codePoints(name) > limits.maxGroupNameLength) {
    return `User group name cannot exceed ${limits.maxGroupNameLength} characters.`
  }
  const prefix = reservedPrefixes.find((reserved) => name.startsWith(reserved))
  if (prefix !== undefined) return `User group name cannot start with '${prefix}'.`
  return /\p{Cc}/u.test(name) ? 'User group name holds invalid characters.' : undefined
}

export const groupDescriptionFinding = (description: string): string | undefined =>
  codePoints(description) > limits.maxGroupDescriptionLength
    ? `User group description cannot exceed ${limits.maxGroupDescriptionLength} characters.`
    : undefined

/** Whether an account may change everything of a group. System groups change for nobody. */
export const mayManageGroup = (
  { may, includes }: Permissions,
  { settings, is_system_group }: GroupRow,
): boolean =>
  !is_system_group &&
  (may('can_manage_all_groups') ||
    (settings.can_manage_group !== undefined && includes(settings.can_manage_group)))

/** Whether an account may put these accounts into a group: any, or (joining) itself alone. */
export const mayAddMembers = (
  permissions: Permissions,
  group: GroupRow,
  self: number,
  ids: readonly number[],
): boolean => {
  const { can_add_members_group: add, can_join_group: join } = group.settings
  if (mayManageGroup(permissions, group) || (add !== undefined && permissions.includes(add))) return true
  return join !== undefined && ids.every((id) => id === self) && permissions.includes(join)
}

/** Whether an account may take these accounts out of a group: any, or (leaving) itself alone. */
export const mayRemoveMembers = (
  permissions: Permissions,
  group: GroupRow,
  self: number,
  ids: readonly number[],
): boolean => {
  const { can_remove_members_group: remove, can_leave_group: leave } = group.settings
  if (mayManageGroup(permissions, group) || (remove !== undefined && permissions.includes(remove)))
    return true
  return leave !== undefined && ids.every((id) => id === self) && permissions.includes(leave)
}
