import type { Audience } from '@parley/contracts'
import { acquaintances } from '@parley/contracts/channels/internals'
import { accountsWithout } from '../accounts/account-store.ts'
import type { Deps, Queries } from '../room.ts'

/** Who is told of somebody's status: everybody, but for guests who may not know them. To be asked before the transaction. */
export const statusAudience = async (
  { ask, rules, users }: Pick<Deps, 'ask' | 'rules' | 'users'>,
  realmId: number,
  userId: number,
): Promise<(sql: Queries) => Promise<Audience>> => {
  const everybody: Audience = { realm: realmId, everyone: true }
  if (!rules.of(realmId).areGuestsLimited) return async () => everybody
  const account = (await users.byIds(realmId, [userId])).get(userId)
  if (account !== undefined && account.bot_type !== null) return async () => everybody
  const { user_ids } = await ask(acquaintances, { realm_id: realmId, user_id: userId })
  return async (sql) => ({ realm: realmId, users: await accountsWithout(sql, realmId, user_ids) })
}
