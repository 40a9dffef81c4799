import { z } from 'zod'
import { Timestamp } from './values.ts'

/** What a user wants of a topic: 0 nothing special, 1 muted, 2 unmuted in a muted channel, 3 followed. */
export const VisibilityPolicy = z.literal([0, 1, 2, 3])
export type VisibilityPolicy = z.infer<typeof VisibilityPolicy>

/** The user topic object (facts, section 1). */
export const UserTopic = z.strictObject({
  stream_id: z.int(),
  topic_name: z.string(),
  last_updated: Timestamp,
  visibility_policy: VisibilityPolicy,
})
export type UserTopic = z.infer<typeof UserTopic>

/** Legacy: channel name, topic, and since when it is muted. */
export const MutedTopic = z.tuple([z.string(), z.string(), Timestamp])
