import { getWebhook as contract } from '@parley/contracts/webhook-dispatcher/receivers'
import { endpoint } from '../room.ts'
import { demandReceiver } from './demand-receiver.ts'
import { presentReceiver } from './receiver-presentation.ts'

export const getWebhook = endpoint(contract, async ({ caller, params, deps }) => ({
  webhook: presentReceiver(await demandReceiver(deps, caller, params.bot_id)),
}))
