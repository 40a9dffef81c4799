import { z } from 'zod'
import { internal } from '../internal.ts'

/** An organization that somebody wants to make in the browser, and where it shall be. */
const wish = { subdomain: z.string(), realm_name: z.string() }

/**
 * Whether an organization could be made, before anything is promised: subdomain free, name fine and, once there is a
 * founder, name and password of theirs fine too. The password comes back in the form in which it is stored.
 */
export const judgeFounding = internal({
  service: 'identity',
  name: 'judge-founding',
  callers: ['invitations'],
  input: z.object({
    ...wish,
    founder: z.object({ email: z.string(), full_name: z.string(), password: z.string() }).nullable(),
  }),
  output: z.object({
    /** As they are stored. */
    subdomain: z.string(),
    realm_name: z.string(),
    password_hash: z.string().nullable(),
  }),
  errors: ['BAD_REQUEST'],
})

/** Makes an organization together with its first owner, once per name. */
export const foundRealm = internal({
  service: 'identity',
  name: 'found-realm',
  callers: ['invitations'],
  input: z.object({
    name: z.uuid(),
    ...wish,
    founder: z.object({ email: z.string(), full_name: z.string(), password_hash: z.string() }),
  }),
  output: z.object({ realm_id: z.int(), user_id: z.int(), url: z.string() }),
  errors: ['BAD_REQUEST'],
})
