import { z } from 'zod'
import { Timestamp } from './values.ts'

/** The channel folder object (facts, section 1). */
export const ChannelFolder = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  rendered_description: z.string(),
  /** Place among the folders, from 0. */
  order: z.int(),
  date_created: Timestamp.nullable(),
  creator_id: z.int().nullable(),
  is_archived: z.boolean(),
})
export type ChannelFolder = z.infer<typeof ChannelFolder>

/** A named set of default channels that a newcomer can take as a whole. */
export const DefaultChannelGroup = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  streams: z.array(z.int()),
})
