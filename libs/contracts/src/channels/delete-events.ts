import { z } from 'zod'
import { event } from '../event.ts'
import { shownTopic } from '../objects/message.ts'

/** Messages are gone: deleted, or by now older than the organization keeps them (level 452). Only who could read them is told. */
export const deleteMessage = event({
  type: 'delete_message',
  fields: {
    message_type: z.enum(['stream', 'private']),
    /** Ascending, of one topic. */
    message_ids: z.array(z.int()),
    stream_id: z.int().optional(),
    topic: z.string().optional(),
  },
  shape: (event, { capabilities }) => {
    const { message_ids, topic, ...rest } = event as { message_ids: number[]; topic?: string }
    const shared = topic === undefined ? rest : { ...rest, topic: shownTopic(topic, capabilities) }
    return capabilities.bulk_message_deletion
      ? [{ ...shared, message_ids }]
      : message_ids.map((message_id) => ({ ...shared, message_id }))
  },
})
