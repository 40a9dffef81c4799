import { z } from 'zod'
import { Timestamp } from './values.ts'

/** An uploaded file, as its uploader is told of it (facts, section 1). */
export const Attachment = z.strictObject({
  id: z.int(),
  name: z.string(),
  /** Below `/user_uploads/`. */
  path_id: z.string(),
  /** Bytes. */
  size: z.int(),
  create_time: Timestamp,
  /** Messages that refer to it, ascending. */
  message_ids: z.array(z.int()),
})
export type Attachment = z.infer<typeof Attachment>
