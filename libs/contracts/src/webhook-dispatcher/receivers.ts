/**
 * Where an outgoing-webhook bot is called, and how that goes. An extension of the public interface: bots are made and
 * given their URL by identity's endpoints, what becomes of the calls is told here. For the bot's owner and administrators.
 */
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, Timestamp } from '../objects/values.ts'

/** Why a receiver is not called any more. */
export const DisabledReason = z.enum(['gone', 'failing', 'by_hand'])

export const Receiver = z.strictObject({
  bot_id: z.int(),
  url: z.string(),
  /** 1 the server's own form, 2 Slack-like. */
  interface: z.int(),
  /** Verifies the calls by the rules of Standard Webhooks: `whsec_` and base64. */
  signing_secret: z.string(),
  /** Until when calls are also signed with the secret before this one; null when they are not. */
  previous_secret_until: Timestamp.nullable(),
  enabled: z.boolean(),
  /** `gone`: it answered 410. `failing`: days of nothing but failures. `by_hand`: disabled by a person. */
  disabled_reason: DisabledReason.nullable(),
  disabled_at: Timestamp.nullable(),
  /** Since when nothing but failures; null when the last call succeeded. */
  failing_since: Timestamp.nullable(),
  /** Until when no call is tried because the last ones failed; null when calls are made. */
  paused_until: Timestamp.nullable(),
  last_success_at: Timestamp.nullable(),
})
export type Receiver = z.infer<typeof Receiver>

const bot_id = Id

export const getWebhook = endpoint({
  method: 'GET',
  path: '/bots/{bot_id}/webhook',
  service: 'webhook-dispatcher',
  summary: 'Where an outgoing-webhook bot is called, with the secret that signs the calls.',
  access: 'authenticated',
  params: { bot_id },
  reply: { webhook: Receiver },
})

export const enableWebhook = endpoint({
  method: 'POST',
  path: '/bots/{bot_id}/webhook/enable',
  service: 'webhook-dispatcher',
  summary: 'Call a bot again whose receiver was disabled.',
  access: 'authenticated',
  params: { bot_id },
  reply: { webhook: Receiver },
})

export const disableWebhook = endpoint({
  method: 'POST',
  path: '/bots/{bot_id}/webhook/disable',
  service: 'webhook-dispatcher',
  summary: 'Stop calling a bot; what is on its way is given up.',
  access: 'authenticated',
  params: { bot_id },
  reply: { webhook: Receiver },
})

export const rotateWebhookSecret = endpoint({
  method: 'POST',
  path: '/bots/{bot_id}/webhook/rotate_secret',
  service: 'webhook-dispatcher',
  summary: 'Replace the secret that signs the calls; for a while they carry a signature of the old one too.',
  access: 'authenticated',
  params: {
    bot_id,
    /** Hours for which the old secret goes on signing; 0 ends it at once. */
    overlap_hours: z.int().min(0).max(168).default(24),
  },
  reply: { webhook: Receiver },
})
