import { rotateWebhookSecret as contract } from '@parley/contracts/webhook-dispatcher/receivers'
import { endpoint } from '../room.ts'
import { demandReceiver } from './demand-receiver.ts'
import { presentReceiver } from './receiver-presentation.ts'
import { lockReceiver, replaceSecret } from './receiver-store.ts'

export const rotateWebhookSecret = endpoint(contract, async ({ caller, params, deps, transaction }) => {
  const { bot_id } = await demandReceiver(deps, caller, params.bot_id)
  return transaction(async ({ sql }) => {
    await lockReceiver(sql, bot_id)
    await replaceSecret(sql, bot_id, params.overlap_hours)
    return { webhook: presentReceiver((await lockReceiver(sql, bot_id))!) }
  })
})
