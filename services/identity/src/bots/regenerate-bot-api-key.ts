import { regenerateBotApiKey as contract } from '@parley/contracts/identity/bots'
import { replaceKey } from '../keys/replace-key.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { demandBot } from './demand-bot.ts'

export const regenerateBotApiKey = endpoint(contract, ({ caller, params, deps, transaction }) =>
  transaction(async (tx) => {
    await lockAccounts(tx.sql, caller.realm.id)
    const bot = await demandBot(tx.sql, caller, params.bot_id)
    return { api_key: await replaceKey(tx, deps.keys, bot) }
  }),
)
