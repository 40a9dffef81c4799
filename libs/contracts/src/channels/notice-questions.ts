import { z } from 'zod'
import { CallerRealm, CallerUser } from '../caller.ts'
import { internal } from '../internal.ts'

/** Has the welcome bot write to an account at once: only what is given, without its own words. */
export const sendWelcomeMessage = internal({
  service: 'channels',
  name: 'send-welcome-message',
  callers: ['identity'],
  input: z.object({ realm: CallerRealm, user_id: z.int(), text: z.string() }),
  output: z.object({ message_id: z.int() }),
  errors: ['BAD_REQUEST', 'REALM_DEACTIVATED'],
})

/** What an account may know of a channel that shall have a task in its organization; null when it knows of none. */
export const channelForTask = internal({
  service: 'channels',
  name: 'channel-for-task',
  callers: ['identity'],
  input: z.object({ realm_id: z.int(), user: CallerUser, channel_id: z.int() }),
  output: z.object({
    channel: z.object({ invite_only: z.boolean(), is_archived: z.boolean() }).nullable(),
  }),
})
