import { botTypes, isAtLeast, type KnownCaller, refuse, roles } from '@parley/contracts'
import { findBots, findUsers } from '@parley/contracts/identity/internals'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Deps } from '../room.ts'
import { type ReceiverRow, receiverById, saveReceiver } from './receiver-store.ts'

/** As with the bot's key (identity): its owner, and administrators; a bot that is an organization owner, for owners. */
const mayManage = (caller: KnownCaller, bot: UserFact): boolean =>
  bot.bot_owner_id === caller.user.id ||
  isAtLeast(caller.user, bot.role === roles.owner ? 'owner' : 'administrator')

/**
 * The receiver of a bot that the caller may manage. Who the owner is, is asked now: a copy may be old. One wording for a
 * bot that is not there, of another organization, of another kind, or not the caller's.
 *
 * @throws ApiError BAD_REQUEST
 */
export const demandReceiver = async (
  { ask, database }: Pick<Deps, 'ask' | 'database'>,
  caller: KnownCaller,
  botId: number,
): Promise<ReceiverRow> => {
  const noSuchBot = () => refuse('BAD_REQUEST', 'No such bot')
  const { users } = await ask(findUsers, { realm_id: caller.realm.id, ids: [botId], emails: [] })
  const bot = users.find((user) => user.id === botId)
  if (bot === undefined || bot.bot_type !== botTypes.outgoingWebhook || !mayManage(caller, bot)) {
    throw noSuchBot()
  }
  const known = await receiverById(database.sql, botId)
  if (known !== undefined) return known
  const { bots } = await ask(findBots, { realm_id: caller.realm.id, ids: [botId] })
  for (const fact of bots) await saveReceiver(database.sql, fact)
  const learned = await receiverById(database.sql, botId)
  if (learned === undefined) throw noSuchBot()
  return learned
}
