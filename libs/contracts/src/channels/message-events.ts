import { z } from 'zod'
import { event } from '../event.ts'
import { shownTopic } from '../objects/message.ts'

const common = { flag: z.string(), messages: z.array(z.int()) }

/** The reader set a flag of messages; with `all` and no IDs: of all messages. */
export const updateMessageFlagsAdd = event({
  type: 'update_message_flags',
  op: 'add',
  /** `operation` is the older name of `op`. */
  fields: { operation: z.literal('add'), ...common, all: z.boolean() },
})

/** What a client must know of messages that became unread. */
const UnreadDetails = z.strictObject({
  type: z.enum(['stream', 'private']),
  mentioned: z.boolean().optional(),
  /** The other people; empty for notes to oneself. */
  user_ids: z.array(z.int()).optional(),
  stream_id: z.int().optional(),
  topic: z.string().optional(),
  unmuted_stream_msg: z.boolean().optional(),
})
export type UnreadDetails = z.infer<typeof UnreadDetails>

export const updateMessageFlagsRemove = event({
  type: 'update_message_flags',
  op: 'remove',
  fields: {
    operation: z.literal('remove'),
    ...common,
    all: z.literal(false),
    /** For the flag `read`: what is unread now, by message ID. */
    message_details: z.record(z.string(), UnreadDetails).optional(),
  },
  shape: (event, { capabilities }) => {
    const { message_details, ...rest } = event as { message_details?: Record<string, UnreadDetails> }
    if (message_details === undefined) return [rest]
    const shown = Object.entries(message_details).map(([id, { topic, ...details }]) => [
      id,
      topic === undefined ? details : { ...details, topic: shownTopic(topic, capabilities) },
    ])
    return [{ ...rest, message_details: Object.fromEntries(shown) }]
  },
})
