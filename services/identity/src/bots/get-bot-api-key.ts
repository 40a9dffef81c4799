import { getBotApiKey as contract } from '@parley/contracts/identity/bots'
import { endpoint } from '../room.ts'
import { keysOf } from '../users/credential-store.ts'
import { demandBot } from './demand-bot.ts'

export const getBotApiKey = endpoint(contract, async ({ caller, params, deps }) => {
  const bot = await demandBot(deps.database.sql, caller, params.bot_id)
  const stored = (await keysOf(deps.database.sql, [bot.id])).get(bot.id)!
  return { api_key: deps.keys.decrypt(stored.api_key_encrypted, stored.api_key_hash) }
})
