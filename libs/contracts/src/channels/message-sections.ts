import { z } from 'zod'
import { section } from '../section.ts'

const Ids = z.array(z.int())

/** What is unread, of the newest `limits.maxUnreadMessages`. */
export const unreadSection = section({
  service: 'channels',
  name: 'update_message_flags',
  onlyWith: 'message',
  covers: ['update_message_flags', 'message', 'update_message', 'delete_message'],
  fields: {
    unread_msgs: z.strictObject({
      /** Without what the reader muted. */
      count: z.int(),
      pms: z.array(z.strictObject({ other_user_id: z.int(), sender_id: z.int(), unread_message_ids: Ids })),
      streams: z.array(z.strictObject({ stream_id: z.int(), topic: z.string(), unread_message_ids: Ids })),
      huddles: z.array(z.strictObject({ user_ids_string: z.string(), unread_message_ids: Ids })),
      mentions: Ids,
      old_unreads_missing: z.boolean(),
    }),
  },
})

export const starredMessagesSection = section({
  service: 'channels',
  name: 'starred_messages',
  covers: ['update_message_flags', 'delete_message'],
  fields: { starred_messages: Ids },
})

/** The conversations of the newest direct messages, most recent first. */
export const recentPrivateConversationsSection = section({
  service: 'channels',
  name: 'recent_private_conversations',
  covers: ['message'],
  fields: {
    recent_private_conversations: z.array(z.strictObject({ max_message_id: z.int(), user_ids: Ids })),
  },
})
