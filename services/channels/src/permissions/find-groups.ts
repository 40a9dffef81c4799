import { findGroups as question } from '@parley/contracts/identity/permission-questions'
import type { GroupFact } from '@parley/contracts/identity/topics'
import type { Deps } from '../room.ts'
import { groupsByIds, type KnownGroup, saveGroup } from './group-store.ts'

/**
 * Those of some groups that exist in an organization: from this service's copy, else from identity (a group may be used
 * before the fact of its creation has arrived).
 */
export const findGroups = async (
  deps: Pick<Deps, 'database' | 'ask'>,
  realmId: number,
  ids: readonly number[],
): Promise<Map<number, KnownGroup>> => {
  if (ids.length === 0) return new Map()
  const { database } = deps
  const known = await database.guard(groupsByIds(database.sql, realmId, ids))
  const found = new Map(known.map((group) => [group.id, group]))
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length === 0) return found
  const { groups } = await deps.ask(question, { realm_id: realmId, ids: missing })
  for (const group of groups) {
    await database.transaction((tx) => saveGroup(tx.sql, group))
    found.set(group.id, group)
  }
  return found
}

/**
 * Active groups with these names, in any case, as identity has them, for names that this service's copy does not have. Only
 * groups that are new to the copy are taken into it here: whom a change of a known one concerns is told when its fact comes.
 */
export const findGroupsNamed = async (
  deps: Pick<Deps, 'database' | 'ask'>,
  realmId: number,
  names: readonly string[],
): Promise<GroupFact[]> => {
  const { database } = deps
  const { groups } = await deps.ask(question, { realm_id: realmId, ids: [], names: [...names] })
  const active = groups.filter((group) => group.is_active)
  if (active.length === 0) return []
  const ids = active.map(({ id }) => id)
  const known = new Set((await database.guard(groupsByIds(database.sql, realmId, ids))).map(({ id }) => id))
  for (const group of active)
    if (!known.has(group.id)) await database.transaction((tx) => saveGroup(tx.sql, group))
  return active
}
