import type { BotFact } from '@parley/contracts/identity/topics'
import type { Bot } from '@parley/contracts/objects/bot'
import type { UserRow } from '../users/user-store.ts'
import type { BotRow } from './bot-store.ts'

const services = ({ payload_url, interface: form, token }: BotRow): Bot['services'] =>
  payload_url === null || form === null || token === null
    ? []
    : [{ base_url: payload_url, interface: form, token }]

/** The bot object, for its owner and administrators. */
export const botObject = (bot: BotRow): Bot => ({
  user_id: bot.user_id,
  default_sending_stream: bot.default_sending_stream,
  default_events_register_stream: bot.default_events_register_stream,
  default_all_public_streams: bot.default_all_public_streams,
  services: services(bot),
})

/** What other services keep of a bot. */
export const botFact = (user: UserRow, bot: BotRow): BotFact => ({
  id: user.id,
  realm_id: user.realm_id,
  bot_type: user.bot_type!,
  owner_id: user.bot_owner_id,
  is_active: user.is_active,
  full_name: user.full_name,
  email: user.email,
  services: services(bot),
  version: user.version,
})
