import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Realm } from '../directory/realm-store.ts'
import type { Deps, Queries } from '../room.ts'
import { type Actor, isInGroup, type Person, systemGroupsOf } from './actor.ts'
import { groupsHolding } from './group-store.ts'
import { realmSetting } from './realm-permissions.ts'

const dayMilliseconds = 86_400_000

/** Whether a member's waiting period is over. Who is nowhere to be found, or joined at an unknown time, still waits. */
const isFullMember = async (deps: Pick<Deps, 'users'>, person: Person, realm: Realm): Promise<boolean> => {
  const days = realmSetting(realm, 'waiting_period_threshold')
  if (person.role !== 400 || days === 0) return true
  const joined = (await deps.users.byIds(realm.id, [person.id])).get(person.id)?.date_joined
  return joined != null && Date.parse(joined) <= Date.now() - days * dayMilliseconds
}

/** Somebody as far as role and age of the account tell; from memory. */
const actorByRole = async (deps: Pick<Deps, 'users'>, person: Person, realm: Realm): Promise<Actor> => ({
  id: person.id,
  role: person.role,
  groups: new Set(systemGroupsOf(person.role, await isFullMember(deps, person, realm), realm.system_groups)),
})

/**
 * Somebody with all groups, for every question about permissions: one query. The role is the caller's own, which comes
 * with the request and is never older than the copy here.
 */
export const findActor = async (
  deps: Pick<Deps, 'users' | 'database'>,
  person: Person,
  realm: Realm,
  sql: Queries = deps.database.sql,
): Promise<Actor> => {
  const { id, role, groups } = await actorByRole(deps, person, realm)
  return { id, role, groups: new Set(await deps.database.guard(groupsHolding(sql, id, [...groups]))) }
}

/**
 * Whether one setting names somebody, for what is asked all the time: settings are system groups mostly, and those are
 * decided from memory.
 */
export const isNamed = async (
  deps: Pick<Deps, 'users' | 'database'>,
  person: Person,
  realm: Realm,
  value: GroupSettingValue,
): Promise<boolean> => {
  const byRole = await actorByRole(deps, person, realm)
  if (isInGroup(byRole, value)) return true
  if (Object.values(realm.system_groups).includes(value as number)) return false
  return isInGroup(await findActor(deps, person, realm), value)
}
