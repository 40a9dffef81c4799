import type { Attempt, Delivery } from '@parley/contracts/webhook-dispatcher/deliveries'
import { seconds } from '../receivers/receiver-presentation.ts'
import type { AttemptRow } from './delivery-log.ts'
import type { DeliveryRow } from './delivery-store.ts'

export const presentDelivery = (row: DeliveryRow): Delivery => ({
  delivery_id: row.public_id,
  message_id: row.message_id,
  trigger: row.trigger,
  state: row.state,
  failure: row.failure,
  attempts: row.attempts,
  created_at: seconds(row.created_at)!,
  next_attempt_at: seconds(row.due_at),
  last_status: row.last_status,
})

export const presentAttempt = ({ started_at, ...row }: AttemptRow): Attempt => ({
  ...row,
  started_at: seconds(started_at)!,
})
