import { z } from 'zod'
import { Timestamp } from './values.ts'

const shared = {
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: Timestamp,
  /** Whether it was due and could not be sent. */
  failed: z.boolean(),
}

/** A message that its author wants to be sent later. */
export const ScheduledMessage = z.discriminatedUnion('type', [
  z.strictObject({
    scheduled_message_id: z.int(),
    type: z.literal('stream'),
    /** The channel. */
    to: z.int(),
    topic: z.string(),
    ...shared,
  }),
  z.strictObject({
    scheduled_message_id: z.int(),
    type: z.literal('private'),
    /** The other people of the conversation; the author, when there are none. */
    to: z.array(z.int()),
    ...shared,
  }),
])
export type ScheduledMessage = z.infer<typeof ScheduledMessage>

/** A message about another message, which its reader wants to be reminded of. */
export const Reminder = z.strictObject({
  reminder_id: z.int(),
  type: z.literal('private'),
  /** Who asked for it. */
  to: z.array(z.int()),
  ...shared,
  reminder_target_message_id: z.int(),
})
export type Reminder = z.infer<typeof Reminder>
