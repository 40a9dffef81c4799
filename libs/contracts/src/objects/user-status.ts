import { z } from 'zod'

export const ReactionType = z.enum(['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'])
export type ReactionType = z.infer<typeof ReactionType>

/** What somebody tells the others of themselves; "unset keys are absent" (facts, section 1). */
export const UserStatus = z.strictObject({
  /** Legacy: their presence is not shown. */
  away: z.literal(true).optional(),
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: ReactionType.optional(),
})
export type UserStatus = z.infer<typeof UserStatus>
