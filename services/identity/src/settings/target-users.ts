import { refuse } from '@parley/contracts'
import { activeMembers } from '../groups/group-membership.ts'
import { groupsByIds } from '../groups/group-store.ts'
import type { Queries } from '../room.ts'
import { usersOfRealm } from '../users/user-store.ts'

export interface TargetWishes {
  readonly user_ids: readonly number[]
  readonly group_ids: readonly number[]
  readonly skip_if_already_edited?: boolean | undefined
}

/**
 * The people whose settings an administrator changes: those named, and the members of groups, however deep.
 *
 * @throws ApiError BAD_REQUEST
 */
export const targetUsers = async (
  sql: Queries,
  realmId: number,
  { user_ids, group_ids }: TargetWishes,
): Promise<number[]> => {
  if (user_ids.length === 0 && group_ids.length === 0) {
    throw refuse('BAD_REQUEST', 'Either user_ids or group_ids must be provided.')
  }
  const named = await usersOfRealm(sql, realmId, user_ids)
  const known = new Set(named.map(({ id }) => id))
  if (user_ids.some((id) => !known.has(id)) || named.some(({ bot_type }) => bot_type !== null)) {
    throw refuse('BAD_REQUEST', 'Invalid user ID')
  }
  const groups = await groupsByIds(sql, realmId, group_ids)
  if (groups.length !== new Set(group_ids).size) throw refuse('BAD_REQUEST', 'Invalid user group')
  for (const { id } of groups) for (const member of await activeMembers(sql, realmId, id)) known.add(member)
  const people = await usersOfRealm(sql, realmId, [...known])
  return people.flatMap(({ id, bot_type }) => (bot_type === null ? [id] : []))
}
