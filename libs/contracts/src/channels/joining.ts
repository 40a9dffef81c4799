import { z } from 'zod'
import { internal } from '../internal.ts'

/** Whether an account may let newcomers into channels: into those that it may add subscribers to. */
export const judgeInvitedChannels = internal({
  service: 'channels',
  name: 'judge-invited-channels',
  callers: ['invitations'],
  input: z.object({
    realm_id: z.int(),
    user_id: z.int(),
    channel_ids: z.array(z.int()).max(10_000),
  }),
  output: z.object({
    /** That do not exist, are archived, or are not the account's to know of. */
    unknown: z.array(z.int()),
    /** That it may not let others into. */
    forbidden: z.array(z.int()),
  }),
})
