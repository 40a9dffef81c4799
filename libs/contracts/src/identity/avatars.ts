import { z } from 'zod'
import { internal } from '../internal.ts'

/**
 * An account has another picture: one that it uploaded, or the organization's kind of default. Clients and services are
 * told of the new version. Not having uploaded one is no change for whoever has none.
 */
export const changeAvatar = internal({
  service: 'identity',
  name: 'change-avatar',
  callers: ['uploads'],
  input: z.object({ realm_id: z.int(), user_id: z.int(), is_uploaded: z.boolean() }),
  output: z.object({ avatar_url: z.string() }),
  errors: ['BAD_REQUEST'],
})
