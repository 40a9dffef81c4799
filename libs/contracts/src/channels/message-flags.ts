import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { Id } from '../objects/values.ts'
import { updateMessageFlagsAdd, updateMessageFlagsRemove } from './message-events.ts'
import { Anchor, Count } from './message-window.ts'
import { Narrow } from './narrow.ts'

const emits = [updateMessageFlagsAdd, updateMessageFlagsRemove]
/** Channels of messages that were not marked as unread, because the caller is not subscribed to them. */
const ignored = { ignored_because_not_subscribed_channels: z.array(z.int()) }

const change = { op: z.enum(['add', 'remove']), flag: z.string() }

export const updateMessageFlags = endpoint({
  method: 'POST',
  path: '/messages/flags',
  service: 'channels',
  brief: true,
  summary: 'Add or remove one of the own flags of some messages.',
  access: 'authenticated',
  params: { messages: z.array(z.int()).max(limits.maxMessagesPerRequest), ...change },
  reply: { messages: z.array(z.int()), ...ignored },
  emits,
})

export const updateMessageFlagsForNarrow = endpoint({
  method: 'POST',
  path: '/messages/flags/narrow',
  service: 'channels',
  summary: 'Add or remove one of the own flags of a part of the messages of a narrow.',
  access: 'authenticated',
  params: {
    anchor: Anchor,
    anchor_date: z.string().optional(),
    include_anchor: z.boolean().default(true),
    num_before: Count,
    num_after: Count,
    narrow: Narrow,
    ...change,
  },
  reply: {
    processed_count: z.int(),
    updated_count: z.int(),
    first_processed_id: z.int().nullable(),
    last_processed_id: z.int().nullable(),
    found_oldest: z.boolean(),
    found_newest: z.boolean(),
    ...ignored,
  },
  errors: ['BAD_NARROW'],
  emits,
})

export const markAllAsRead = endpoint({
  method: 'POST',
  path: '/mark_all_as_read',
  service: 'channels',
  summary: 'Mark all messages of the caller as read.',
  access: 'authenticated',
  params: {},
  reply: { complete: z.boolean() },
  emits: [updateMessageFlagsAdd],
})

export const markStreamAsRead = endpoint({
  method: 'POST',
  path: '/mark_stream_as_read',
  service: 'channels',
  summary: 'Mark all messages of a channel as read.',
  access: 'authenticated',
  params: { stream_id: z.int() },
  reply: {},
  emits: [updateMessageFlagsAdd],
})

export const markTopicAsRead = endpoint({
  method: 'POST',
  path: '/mark_topic_as_read',
  service: 'channels',
  summary: 'Mark all messages of a topic as read.',
  access: 'authenticated',
  params: { stream_id: z.int(), topic_name: z.string() },
  reply: {},
  emits: [updateMessageFlagsAdd],
})

export const getReadReceipts = endpoint({
  method: 'GET',
  path: '/messages/{message_id}/read_receipts',
  service: 'channels',
  summary: 'Who has read a message.',
  access: 'authenticated',
  params: { message_id: Id },
  reply: { user_ids: z.array(z.int()) },
})
