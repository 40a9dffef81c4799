import { getWebhookDelivery as contract } from '@parley/contracts/webhook-dispatcher/deliveries'
import { demandReceiver } from '../receivers/demand-receiver.ts'
import { endpoint } from '../room.ts'
import { attemptsOf, deliveryOf } from './delivery-log.ts'
import { presentAttempt, presentDelivery } from './delivery-presentation.ts'

export const getWebhookDelivery = endpoint(contract, async ({ caller, params, deps, refuse }) => {
  const { bot_id } = await demandReceiver(deps, caller, params.bot_id)
  const { sql } = deps.database
  const row = await deliveryOf(sql, bot_id, params.delivery_id)
  if (row === undefined) throw refuse('BAD_REQUEST', 'No such delivery')
  const attempts = await attemptsOf(sql, row.id)
  return { delivery: { ...presentDelivery(row), attempt_log: attempts.map(presentAttempt) } }
})
