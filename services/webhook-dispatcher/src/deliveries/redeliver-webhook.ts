import { redeliverWebhook as contract } from '@parley/contracts/webhook-dispatcher/deliveries'
import { demandReceiver } from '../receivers/demand-receiver.ts'
import { endpoint } from '../room.ts'
import { deliveryOf } from './delivery-log.ts'
import { presentDelivery } from './delivery-presentation.ts'
import { reopenDelivery } from './delivery-store.ts'

/** The pause of a receiver that failed does not hold it up: who asks for it wants to see whether that works again. */
export const redeliverWebhook = endpoint(contract, async ({ caller, params, deps, refuse }) => {
  const { bot_id, disabled_at } = await demandReceiver(deps, caller, params.bot_id)
  const { sql } = deps.database
  const row = await deliveryOf(sql, bot_id, params.delivery_id)
  if (row === undefined) throw refuse('BAD_REQUEST', 'No such delivery')
  if (disabled_at !== null) throw refuse('BAD_REQUEST', 'The webhook is disabled; enable it first.')
  const reopened = await reopenDelivery(sql, row.id)
  if (reopened === undefined) throw refuse('BAD_REQUEST', 'The delivery is on its way.')
  deps.dispatcher.wake([bot_id])
  return { delivery: presentDelivery(reopened) }
})
