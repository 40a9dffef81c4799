import { realmBotAdd, realmBotDelete, realmBotUpdate } from '@parley/contracts/identity/events'
import type { Bot } from '@parley/contracts/objects/bot'
import type { Tx } from '@parley/kit'
import type { UserRow } from '../users/user-store.ts'
import { botObject } from './bot-presentation.ts'
import { type BotRow, botWatchers } from './bot-store.ts'

/** Tells those who see a bot's properties of a new one. */
export const announceNewBot = async (
  tx: Tx<typeof realmBotAdd>,
  user: UserRow,
  bot: BotRow,
): Promise<void> => {
  const users = await botWatchers(tx.sql, user.realm_id, user.bot_owner_id)
  tx.emit(realmBotAdd, { realm: user.realm_id, users }, { bot: botObject(bot) })
}

/** Tells those who see a bot's properties which of them changed. */
export const announceBotChange = async (
  tx: Tx<typeof realmBotUpdate>,
  user: UserRow,
  changes: Partial<Bot>,
): Promise<void> => {
  const users = await botWatchers(tx.sql, user.realm_id, user.bot_owner_id)
  tx.emit(realmBotUpdate, { realm: user.realm_id, users }, { bot: { ...changes, user_id: user.id } })
}

/** A bot went from one owner to another: who sees it now and did not before is shown it, and the other way round. */
export const announceBotMoved = async (
  tx: Tx<typeof realmBotAdd | typeof realmBotDelete>,
  before: Pick<UserRow, 'bot_owner_id'>,
  user: UserRow,
  bot: BotRow,
): Promise<void> => {
  const realm = user.realm_id
  const sawIt = await botWatchers(tx.sql, realm, before.bot_owner_id)
  const seesIt = await botWatchers(tx.sql, realm, user.bot_owner_id)
  const losing = sawIt.filter((id) => !seesIt.includes(id))
  const gaining = seesIt.filter((id) => !sawIt.includes(id))
  if (losing.length > 0) tx.emit(realmBotDelete, { realm, users: losing }, { bot: { user_id: user.id } })
  if (gaining.length > 0) tx.emit(realmBotAdd, { realm, users: gaining }, { bot: botObject(bot) })
}
