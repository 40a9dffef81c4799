/**
 * Presence and typing are told past the database and its outbox, on purpose: they are worth nothing a minute later, and a
 * lost one is never an error. A status is somebody's text and goes the way of every change.
 */
import { z } from 'zod'
import type { ClientShape } from '../client-shape.ts'
import { event } from '../event.ts'
import { emptyTopicDisplayName } from '../objects/message.ts'
import { LastSeen, modernPresence, websitePresence } from '../objects/presence.ts'
import { ReactionType } from '../objects/user-status.ts'

const Seen = z.strictObject({ user_id: z.int(), email: z.string(), ...LastSeen.shape })
type Seen = z.infer<typeof Seen>

/**
 * Users came back. Those who come within one second share a record; clients of the legacy form receive an event of each
 * user, those with `simplified_presence_events` one of all.
 */
export const presenceChanged = event({
  type: 'presence',
  fields: { server_timestamp: z.number(), seen: z.array(Seen) },
  shape: (event, client) => {
    const { type, server_timestamp, seen } = event as {
      type: string
      server_timestamp: number
      seen: readonly Seen[]
    }
    if (client.capabilities.simplified_presence_events) {
      return [
        {
          type,
          presences: Object.fromEntries(seen.map((one) => [String(one.user_id), modernPresence(one)])),
        },
      ]
    }
    return seen.map((one) => ({
      type,
      user_id: one.user_id,
      ...(client.slim_presence ? {} : { email: one.email }),
      server_timestamp,
      presence: { website: websitePresence(one) },
    }))
  },
})

/** Cleared values are empty strings; what did not change is absent. */
export const userStatusChanged = event({
  type: 'user_status',
  fields: {
    user_id: z.int(),
    away: z.boolean().optional(),
    status_text: z.string().optional(),
    emoji_name: z.string().optional(),
    emoji_code: z.string().optional(),
    reaction_type: z.union([ReactionType, z.literal('')]).optional(),
  },
})

const Typist = z.strictObject({ user_id: z.int(), email: z.string() })

const shapedTopic = (topic: unknown, { capabilities }: ClientShape): unknown =>
  topic === '' && !capabilities.empty_topic_name ? emptyTopicDisplayName : topic

const typing = <const Op extends 'start' | 'stop'>(op: Op) =>
  event({
    type: 'typing',
    op,
    fields: {
      message_type: z.enum(['direct', 'stream']),
      sender: Typist,
      recipients: z.array(Typist).optional(),
      stream_id: z.int().optional(),
      topic: z.string().optional(),
    },
    shape: (event, client) => {
      if (event.message_type === 'direct') return [event]
      if (!client.capabilities.stream_typing_notifications) return []
      return [{ ...event, topic: shapedTopic(event.topic, client) }]
    },
  })

/** Somebody types a new message. Clients forget a start by themselves after `server_typing_started_expiry_period_milliseconds`. */
export const typingStart = typing('start')
export const typingStop = typing('stop')

const editTyping = <const Op extends 'start' | 'stop'>(op: Op) =>
  event({
    type: 'typing_edit_message',
    op,
    since: 351,
    fields: {
      sender_id: z.int(),
      message_id: z.int(),
      recipient: z.union([
        z.strictObject({ type: z.literal('direct'), user_ids: z.array(z.int()) }),
        z.strictObject({ type: z.literal('channel'), channel_id: z.int(), topic: z.string() }),
      ]),
    },
    shape: (event, client) => {
      const recipient = event.recipient as { type: string; topic?: string }
      if (recipient.type === 'direct') return [event]
      if (!client.capabilities.stream_typing_notifications) return []
      return [{ ...event, recipient: { ...recipient, topic: shapedTopic(recipient.topic, client) } }]
    },
  })

/** Somebody edits a message that was sent. */
export const typingEditStart = editTyping('start')
export const typingEditStop = editTyping('stop')
