import { enableWebhook as contract } from '@parley/contracts/webhook-dispatcher/receivers'
import { endpoint } from '../room.ts'
import { demandReceiver } from './demand-receiver.ts'
import { presentReceiver } from './receiver-presentation.ts'
import { enableReceiver, lockReceiver } from './receiver-store.ts'

export const enableWebhook = endpoint(contract, async ({ caller, params, deps, transaction }) => {
  const { bot_id } = await demandReceiver(deps, caller, params.bot_id)
  return transaction(async ({ sql }) => {
    await lockReceiver(sql, bot_id)
    await enableReceiver(sql, bot_id)
    return { webhook: presentReceiver((await lockReceiver(sql, bot_id))!) }
  })
})
