import { z } from 'zod'
import { Timestamp } from './values.ts'

/** What somebody has begun to write; only they see it. */
export const Draft = z.strictObject({
  id: z.int(),
  /** Empty: addressed to nobody yet. */
  type: z.enum(['', 'stream', 'private']),
  /** One channel, some people, or (unaddressed) nobody. */
  to: z.array(z.int()),
  topic: z.string(),
  content: z.string(),
  /** Of the last edit. */
  timestamp: Timestamp,
})
export type Draft = z.infer<typeof Draft>
