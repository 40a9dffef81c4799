import { z } from 'zod'
import { event } from '../event.ts'
import { MessageFlags, shownTopic } from '../objects/message.ts'

const Ids = z.array(z.int())

/** Messages were edited, moved, or rendered anew. */
export const updateMessageEvent = event({
  type: 'update_message',
  fields: {
    user_id: z.int().nullable(),
    rendering_only: z.boolean(),
    message_id: z.int(),
    /** Ascending; those that the recipient has. */
    message_ids: Ids,
    /** Of `message_id`, for the recipient. */
    flags: MessageFlags,
    edit_timestamp: z.int(),
    /** Before the change. */
    stream_id: z.int().optional(),
    stream_name: z.string().optional(),
    new_stream_id: z.int().optional(),
    propagate_mode: z.enum(['change_one', 'change_later', 'change_all']).optional(),
    orig_subject: z.string().optional(),
    subject: z.string().optional(),
    topic_links: z.array(z.strictObject({ text: z.string(), url: z.string() })).optional(),
    orig_content: z.string().optional(),
    orig_rendered_content: z.string().optional(),
    content: z.string().optional(),
    rendered_content: z.string().optional(),
    is_me_message: z.boolean().optional(),
  },
  shape: (event, { capabilities }) => {
    const { orig_subject, subject, ...rest } = event as { orig_subject?: string; subject?: string }
    return [
      {
        ...rest,
        ...(orig_subject === undefined ? {} : { orig_subject: shownTopic(orig_subject, capabilities) }),
        ...(subject === undefined ? {} : { subject: shownTopic(subject, capabilities) }),
      },
    ]
  },
})

/** Messages are gone, or the recipient may not read them any more. */
export const deleteMessageEvent = event({
  type: 'delete_message',
  fields: {
    message_type: z.enum(['stream', 'private']),
    /** Ascending. */
    message_ids: Ids,
    stream_id: z.int().optional(),
    topic: z.string().optional(),
  },
  shape: (event, { capabilities }) => {
    const { message_ids, topic, ...rest } = event as { message_ids: number[]; topic?: string }
    const place = topic === undefined ? {} : { topic: shownTopic(topic, capabilities) }
    return capabilities.bulk_message_deletion
      ? [{ ...rest, ...place, message_ids }]
      : message_ids.map((message_id) => ({ ...rest, ...place, message_id }))
  },
})
