import { type KnownCaller, refuse } from '@parley/contracts'
import type { Queries } from '../room.ts'
import { type UserRow, userById } from '../users/user-store.ts'
import { mayManageBot } from './bot-rules.ts'

/**
 * The bot that a caller names and may manage. One wording for a bot that is not there, not the caller's to manage, or
 * no bot.
 *
 * @throws ApiError BAD_REQUEST
 */
export const demandBot = async (sql: Queries, caller: KnownCaller, id: number): Promise<UserRow> => {
  const bot = await userById(sql, caller.realm.id, id)
  if (bot === undefined || bot.bot_type === null || !mayManageBot(caller.user, bot)) {
    throw refuse('BAD_REQUEST', 'No such bot')
  }
  return bot
}
