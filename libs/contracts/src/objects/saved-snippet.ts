import { z } from 'zod'
import { Timestamp } from './values.ts'

/** A text that its owner keeps for use in messages. */
export const SavedSnippet = z.strictObject({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  date_created: Timestamp,
})
export type SavedSnippet = z.infer<typeof SavedSnippet>
