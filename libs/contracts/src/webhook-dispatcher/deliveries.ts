/** The delivery log of outgoing webhooks, an extension of the public interface. For the bot's owner and administrators. */
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, Timestamp } from '../objects/values.ts'

/** Why a bot is told of a message. */
export const Trigger = z.enum(['direct_message', 'mention'])
export type Trigger = z.infer<typeof Trigger>

/**
 * - `pending`: being tried, or to be tried again.
 * - `delivered`: the receiver answered 2xx.
 * - `failed`: given up; `failure` says why.
 * - `withdrawn`: the bot may not see the message (any more), or is not active.
 */
export const DeliveryState = z.enum(['pending', 'delivered', 'failed', 'withdrawn'])
export type DeliveryState = z.infer<typeof DeliveryState>

const deliveryFields = {
  /** The same in the header `webhook-id` of every attempt. */
  delivery_id: z.string(),
  message_id: z.int(),
  trigger: Trigger,
  state: DeliveryState,
  failure: z.string().nullable(),
  attempts: z.int(),
  created_at: Timestamp,
  /** When it is tried next; null when it is not. */
  next_attempt_at: Timestamp.nullable(),
  /** Status of the last answer; null when there was none. */
  last_status: z.int().nullable(),
}

export const Delivery = z.strictObject(deliveryFields)
export type Delivery = z.infer<typeof Delivery>

export const Attempt = z.strictObject({
  number: z.int(),
  started_at: Timestamp,
  duration_ms: z.int(),
  url: z.string(),
  /** Null when there was no answer; `error` says what happened instead. */
  status: z.int().nullable(),
  error: z.string().nullable(),
  /** The beginning of the answer's body. */
  response_body: z.string().nullable(),
})
export type Attempt = z.infer<typeof Attempt>

const bot_id = Id

export const listWebhookDeliveries = endpoint({
  method: 'GET',
  path: '/bots/{bot_id}/webhook/deliveries',
  service: 'webhook-dispatcher',
  summary: 'What was sent to a bot, newest first.',
  access: 'authenticated',
  params: {
    bot_id,
    state: DeliveryState.optional(),
    trigger: Trigger.optional(),
    message_id: Id.optional(),
    /** Only deliveries made after, or before, this time. */
    since: Timestamp.optional(),
    until: Timestamp.optional(),
    /** The last delivery of the page before. */
    before: z.string().optional(),
    limit: z.int().min(1).max(200).default(50),
  },
  reply: { deliveries: z.array(Delivery) },
})

export const getWebhookDelivery = endpoint({
  method: 'GET',
  path: '/bots/{bot_id}/webhook/deliveries/{delivery_id}',
  service: 'webhook-dispatcher',
  summary: 'One delivery with its attempts, oldest first.',
  access: 'authenticated',
  params: { bot_id, delivery_id: z.string() },
  reply: { delivery: z.strictObject({ ...deliveryFields, attempt_log: z.array(Attempt) }) },
})

export const redeliverWebhook = endpoint({
  method: 'POST',
  path: '/bots/{bot_id}/webhook/deliveries/{delivery_id}/redeliver',
  service: 'webhook-dispatcher',
  summary: 'Send a delivery that is over once more, under its old ID.',
  access: 'authenticated',
  params: { bot_id, delivery_id: z.string() },
  reply: { delivery: Delivery },
})
