import type { Role } from '@parley/contracts'
import type { SystemGroupName } from '@parley/contracts/identity/topics'
import type { GroupSettingValue } from '@parley/contracts/objects/values'

/** Somebody whose permissions are asked for. */
export interface Person {
  readonly id: number
  readonly role: Role
}

/** IDs of an organization's system groups, by name. */
export type SystemGroups = Readonly<Record<SystemGroupName, number>>

/**
 * The weakest role that each system group holds; the groups are nested (facts, section 10). Every member is a full
 * member while the waiting period is 0 days, the default.
 */
const weakestRole: Record<SystemGroupName, number> = {
  'role:owners': 100,
  'role:administrators': 200,
  'role:moderators': 300,
  'role:fullmembers': 400,
  'role:members': 400,
  'role:everyone': 600,
  'role:internet': 600,
  'role:nobody': 0,
}

const isInNamedGroup = (person: Person, groupId: number, groups: SystemGroups): boolean => {
  for (const name in groups) {
    if (groups[name as SystemGroupName] === groupId)
      return person.role <= weakestRole[name as SystemGroupName]
  }
  return false
}

/** Whether a group-valued permission is given to somebody. */
export const isInGroup = (person: Person, value: GroupSettingValue, groups: SystemGroups): boolean =>
  typeof value === 'number'
    ? isInNamedGroup(person, value, groups)
    : value.direct_members.includes(person.id) ||
      value.direct_subgroups.some((groupId) => isInNamedGroup(person, groupId, groups))
