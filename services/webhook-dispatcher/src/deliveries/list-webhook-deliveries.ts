import { listWebhookDeliveries as contract } from '@parley/contracts/webhook-dispatcher/deliveries'
import { demandReceiver } from '../receivers/demand-receiver.ts'
import { endpoint } from '../room.ts'
import { deliveriesOf } from './delivery-log.ts'
import { presentDelivery } from './delivery-presentation.ts'

export const listWebhookDeliveries = endpoint(contract, async ({ caller, params, deps }) => {
  await demandReceiver(deps, caller, params.bot_id)
  const rows = await deliveriesOf(deps.database.sql, params)
  return { deliveries: rows.map(presentDelivery) }
})
