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

/**
 * Lets a newcomer into channels, once per name: those of an invitation into which its sender may (still) let others, and
 * the organization's default channels where asked for. `notices` are what system bots say about it.
 */
export const joinChannels = internal({
  service: 'channels',
  name: 'join-channels',
  callers: ['invitations'],
  input: z.object({
    name: z.uuid(),
    realm_id: z.int(),
    user_id: z.int(),
    /** Null where nobody invited. */
    inviter_id: z.int().nullable(),
    channel_ids: z.array(z.int()).max(10_000),
    include_default: z.boolean(),
    notices: z.array(
      z.object({
        bot: z.enum(['notification']),
        user_id: z.int(),
        content: z.string(),
      }),
    ),
  }),
  output: z.object({ channel_ids: z.array(z.int()) }),
  errors: ['REALM_DEACTIVATED'],
})
