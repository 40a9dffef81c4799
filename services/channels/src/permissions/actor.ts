/** Who acts, and which groups that makes somebody a member of; no I/O. */
import type { Role } from '@parley/contracts'
import type { RealmFact, SystemGroupName } from '@parley/contracts/identity/topics'
import type { GroupSettingValue } from '@parley/contracts/objects/values'

/** Somebody, as far as the role says who it is. */
export interface Person {
  readonly id: number
  readonly role: Role
}

/** IDs of an organization's system groups, by name. */
export type SystemGroups = RealmFact['system_groups']

/** Somebody whose permissions are asked for, as `findActor` finds them. */
export interface Actor extends Person {
  /** IDs of all groups that the account is in, however deep, system groups among them. */
  readonly groups: ReadonlySet<number>
}

export const isGuest = (person: Person): boolean => person.role === 600
export const isAdministrator = (person: Person): boolean => person.role <= 200

/** The weakest role that each system group holds; the groups are nested (facts, section 10). */
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

/** The system groups that hold a role. Members are `fullmembers` once the organization's waiting period is over. */
export const systemGroupsOf = (role: Role, isFullMember: boolean, groups: SystemGroups): number[] =>
  (Object.keys(weakestRole) as SystemGroupName[])
    .filter(
      (name) => role <= weakestRole[name] && (name !== 'role:fullmembers' || role < 400 || isFullMember),
    )
    .map((name) => groups[name])

/** The weakest role in each system group; of `role:fullmembers` the age of the account decides too. */
export const weakestRoles = (groups: SystemGroups): { readonly group_id: number; readonly role: number }[] =>
  (Object.keys(weakestRole) as SystemGroupName[]).map((name) => ({
    group_id: groups[name],
    role: weakestRole[name],
  }))

/** Whether a group-valued setting names somebody: directly, or by a group, however deep. */
export const isInGroup = (actor: Actor, value: GroupSettingValue): boolean =>
  typeof value === 'number'
    ? actor.groups.has(value)
    : value.direct_members.includes(actor.id) || value.direct_subgroups.some((id) => actor.groups.has(id))
