import { type KnownCaller, roles } from '@parley/contracts'
import type { Queries } from '../room.ts'
import type { UserRow } from '../users/user-store.ts'
import { acquaintancesOf } from './acquaintance-store.ts'

type Known = Pick<UserRow, 'id' | 'bot_type'>

/**
 * Which accounts a caller may know: undefined for all of them. Only guests cost a query, and only those of organizations
 * that limit them may not know everybody.
 */
export const knownTo = async (
  sql: Queries,
  { realm, user }: KnownCaller,
): Promise<((account: Known) => boolean) | undefined> => {
  if (user.role !== roles.guest) return undefined
  const known = await acquaintancesOf(sql, realm.id, user.id)
  if (known === undefined) return undefined
  return ({ id, bot_type }) => bot_type !== null || id === user.id || known.has(id)
}

/** Whether a caller may know one account. One that it may not know is answered like one that does not exist. */
export const mayKnowAccount = async (sql: Queries, caller: KnownCaller, account: Known): Promise<boolean> =>
  (await knownTo(sql, caller))?.(account) ?? true
