import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Attachment } from '../objects/attachment.ts'
import { Id } from '../objects/values.ts'
import { streamUpdate } from './channel-events.ts'
import { deleteMessageEvent, updateMessageEvent } from './message-change-events.ts'
import { updateMessageFlagsAdd } from './message-events.ts'
import { mutedTopicsEvent, userTopicEvent } from './user-topic-events.ts'

export const updateMessage = endpoint({
  method: 'PATCH',
  path: '/messages/{message_id}',
  service: 'channels',
  summary: 'Change the content of a message, or move messages to another topic or channel.',
  access: 'authenticated',
  params: {
    message_id: Id,
    topic: z.string().optional(),
    content: z.string().optional(),
    stream_id: z.int().optional(),
    propagate_mode: z.enum(['change_one', 'change_later', 'change_all']).default('change_one'),
    send_notification_to_old_thread: z.boolean().default(false),
    send_notification_to_new_thread: z.boolean().default(true),
    /** Of the content that the client believes to change (level 379). */
    prev_content_sha256: z.string().optional(),
  },
  aliases: { topic: ['subject'] },
  /** Files that no message refers to any more. */
  reply: { detached_uploads: z.array(Attachment) },
  errors: [
    'EXPECTATION_MISMATCH',
    'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
  ],
  emits: [
    updateMessageEvent,
    deleteMessageEvent,
    streamUpdate,
    userTopicEvent,
    mutedTopicsEvent,
    updateMessageFlagsAdd,
  ],
})

export const deleteMessage = endpoint({
  method: 'DELETE',
  path: '/messages/{message_id}',
  service: 'channels',
  summary: 'Delete a message for good.',
  access: 'authenticated',
  params: { message_id: Id },
  reply: {},
  emits: [deleteMessageEvent, streamUpdate],
})

const HistoryEntry = z.strictObject({
  topic: z.string(),
  prev_topic: z.string().optional(),
  stream: z.int().optional(),
  prev_stream: z.int().optional(),
  content: z.string(),
  rendered_content: z.string(),
  prev_content: z.string().optional(),
  prev_rendered_content: z.string().optional(),
  /** The new HTML with what came and what went marked as such. */
  content_html_diff: z.string().optional(),
  user_id: z.int().nullable(),
  timestamp: z.int(),
})

export const getMessageHistory = endpoint({
  method: 'GET',
  path: '/messages/{message_id}/history',
  service: 'channels',
  summary: 'How a message was changed, oldest first; the first entry is the message as it was sent.',
  access: 'authenticated',
  params: { message_id: Id, allow_empty_topic_name: z.boolean().default(false) },
  reply: { message_history: z.array(HistoryEntry) },
})
