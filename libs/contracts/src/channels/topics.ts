import { z } from 'zod'
import { MessageRecord } from '../objects/message.ts'
import { topic } from '../topic.ts'

/** A message was sent. Keyed by conversation, so that each one's messages stay in order. */
export const MessageFact = z.object({
  realm_id: z.int(),
  message: MessageRecord,
  /** Accounts named in it (not silently), whether or not they can see it. */
  mentioned_user_ids: z.array(z.int()),
})
export type MessageFact = z.infer<typeof MessageFact>

export const messagesTopic = topic('channels.messages', { value: MessageFact, compacted: false })
