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

const Thread = z.object({ channel_id: z.int(), topic: z.string() })

/** Messages were changed. Keyed by the conversation that they were in. */
export const MessageChangeFact = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('edited'),
    realm_id: z.int(),
    message_id: z.int(),
    sender_id: z.int(),
    editor_id: z.int(),
    content: z.string(),
    rendered_content: z.string(),
  }),
  z.object({
    kind: z.literal('moved'),
    realm_id: z.int(),
    message_ids: z.array(z.int()),
    from: Thread,
    to: Thread,
  }),
  z.object({ kind: z.literal('deleted'), realm_id: z.int(), message_ids: z.array(z.int()) }),
])
export type MessageChangeFact = z.infer<typeof MessageChangeFact>

/**
 * With whom these accounts share a channel or a direct conversation may have changed; null: that of everybody. Told only
 * of organizations that let guests know nobody else. Keyed by realm ID.
 */
export const CompanyFact = z.object({ realm_id: z.int(), user_ids: z.array(z.int()).nullable() })
export type CompanyFact = z.infer<typeof CompanyFact>

export const companyTopic = topic('channels.company', { value: CompanyFact, compacted: false })

export const messageChangesTopic = topic('channels.message-changes', {
  value: MessageChangeFact,
  compacted: false,
})

export const messagesTopic = topic('channels.messages', { value: MessageFact, compacted: false })
