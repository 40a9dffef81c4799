import { deactivateBot as contract } from '@parley/contracts/identity/bots'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { announceActivation } from '../users/user-announcements.ts'
import { setActive } from '../users/user-store.ts'
import { demandBot } from './demand-bot.ts'

/** A bot that was ended before stays as it is, and nothing is announced again. */
export const deactivateBot = endpoint(contract, ({ caller, params, transaction }) =>
  transaction(async (tx) => {
    await lockAccounts(tx.sql, caller.realm.id)
    const bot = await demandBot(tx.sql, caller, params.bot_id)
    const ended = await setActive(tx.sql, caller.realm.id, bot.id, false)
    if (ended !== undefined) await announceActivation(tx, ended)
    return {}
  }),
)
