import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { ListedMessage } from '../objects/message.ts'
import { Id } from '../objects/values.ts'
import { either } from '../parameter.ts'
import { messageEvent, mutedTopicsEvent, userTopicEvent } from './events.ts'
import { Anchor, Count } from './message-window.ts'
import { Narrow } from './narrow.ts'

/** One ID or name, a list of them, or (raw) e-mails separated by commas. */
const Recipients = either(
  z.union([
    z.int(),
    z.string(),
    z.array(z.int()).max(limits.maxDirectRecipients),
    z.array(z.string()).max(limits.maxDirectRecipients),
  ]),
)

export const sendMessage = endpoint({
  method: 'POST',
  path: '/messages',
  service: 'channels',
  brief: true,
  summary: 'Send a message to a channel or to people.',
  access: 'authenticated',
  webhookBots: true,
  params: {
    type: z.enum(['direct', 'channel', 'stream', 'private']),
    to: Recipients,
    content: z.string(),
    topic: z.string().optional(),
    queue_id: z.string().optional(),
    local_id: z.string().optional(),
    read_by_sender: z.boolean().optional(),
    /** JSON text of the widget that the message shows (objects/widget.ts). */
    widget_content: z.string().optional(),
  },
  aliases: { topic: ['subject'] },
  reply: {
    id: z.int(),
    /** What the sender's policy for the topic has become by sending (level 228); absent when it is as it was. */
    automatic_new_visibility_policy: z.int().optional(),
    message_url: z.string(),
    message_link: z.string(),
  },
  errors: [
    'STREAM_DOES_NOT_EXIST',
    'STREAM_WITH_ID_DOES_NOT_EXIST',
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
  ],
  emits: [messageEvent, userTopicEvent, mutedTopicsEvent],
})

const presentation = {
  client_gravatar: z.boolean().default(true),
  apply_markdown: z.boolean().default(true),
  allow_empty_topic_name: z.boolean().default(false),
}

/** Which part of a narrow's messages is meant, by an anchor and counts on both sides of it. */
const window = {
  anchor: Anchor.optional(),
  /** ISO 8601; with the anchor `date` (level 445). */
  anchor_date: z.string().optional(),
  include_anchor: z.boolean().default(true),
  num_before: Count.optional(),
  num_after: Count.optional(),
  narrow: Narrow.optional(),
}

export const listMessages = endpoint({
  method: 'GET',
  path: '/messages',
  service: 'channels',
  summary: 'Messages of a narrow around an anchor, or messages by ID; oldest first.',
  access: 'spectator',
  params: {
    ...window,
    message_ids: z.array(z.int()).max(limits.maxMessagesPerRequest).optional(),
    /** The older way to say `anchor: first_unread`. */
    use_first_unread_anchor: z.boolean().default(false),
    ...presentation,
  },
  reply: {
    /** Absent when messages were asked for by ID. */
    anchor: z.number().optional(),
    found_newest: z.boolean(),
    found_oldest: z.boolean(),
    found_anchor: z.boolean(),
    history_limited: z.boolean(),
    messages: z.array(ListedMessage),
  },
  errors: ['BAD_NARROW', 'INCOMPATIBLE_PARAMETERS', 'UNAUTHORIZED', 'REQUEST_VARIABLE_MISSING'],
})

export const getMessage = endpoint({
  method: 'GET',
  path: '/messages/{message_id}',
  service: 'channels',
  summary: 'One message, with its raw content.',
  access: 'spectator',
  params: {
    message_id: Id,
    apply_markdown: presentation.apply_markdown,
    allow_empty_topic_name: presentation.allow_empty_topic_name,
  },
  reply: { raw_content: z.string(), message: ListedMessage },
  errors: ['UNAUTHORIZED'],
})

export const matchesNarrow = endpoint({
  method: 'GET',
  path: '/messages/matches_narrow',
  service: 'channels',
  summary: 'Which of some messages match a narrow, with what was found in them highlighted.',
  access: 'authenticated',
  params: { msg_ids: z.array(z.int()).max(limits.maxMessagesPerRequest), narrow: Narrow },
  reply: {
    messages: z.record(z.string(), z.strictObject({ match_content: z.string(), match_subject: z.string() })),
  },
  errors: ['BAD_NARROW'],
})
