import { regenerateBotApiKey as contract } from '@parley/contracts/identity/bots'
import { replaceKey } from '../keys/replace-key.ts'
import { endpoint } from '../room.ts'
import { demandBot } from './demand-bot.ts'

export const regenerateBotApiKey = endpoint(contract, ({ caller, params, deps, transaction }) =>
  transaction(async (tx) => {
    const bot = await demandBot(tx.sql, caller, params.bot_id)
    return { api_key: await replaceKey(tx, deps.keys, bot) }
  }),
)
