import { z } from 'zod'

/** A custom emoji (facts, section 1). Addresses are paths below the organization's URL. */
export const RealmEmoji = z.strictObject({
  id: z.string(),
  name: z.string(),
  source_url: z.string(),
  /** The first frame of one that moves; null for the others. */
  still_url: z.string().nullable(),
  deactivated: z.boolean(),
  author_id: z.int().nullable(),
})
export type RealmEmoji = z.infer<typeof RealmEmoji>
