import { z } from 'zod'
import { internal } from '../internal.ts'

/** What an account does when a link was followed that was mailed to it; invitations sends the mail and shows the pages. */
const asked = { service: 'identity', callers: ['invitations'] } as const

/** Gives an account another address, which proved to be its owner's. Nothing if it has it already. */
export const takeNewAddress = internal({
  ...asked,
  name: 'take-new-address',
  input: z.object({
    realm_id: z.int(),
    user_id: z.int(),
    /** What it was when the owner wanted another. */
    old_email: z.string(),
    new_email: z.string(),
  }),
  output: z.object({}),
  errors: ['BAD_REQUEST', 'REALM_DEACTIVATED'],
})

/** The account that may have its password set by whoever reads its mail; null when there is none. */
export const findPasswordHolder = internal({
  ...asked,
  name: 'find-password-holder',
  input: z.object({ realm_id: z.int(), email: z.string() }),
  output: z.object({ user: z.object({ id: z.int(), delivery_email: z.string() }).nullable() }),
})

/** Sets a password for whoever followed the link that was sent to `email`. */
export const setPassword = internal({
  ...asked,
  name: 'set-password',
  input: z.object({ realm_id: z.int(), user_id: z.int(), email: z.string(), password: z.string() }),
  output: z.object({}),
  errors: ['BAD_REQUEST', 'REALM_DEACTIVATED'],
})

/** Has one person, or all of an organization, set a new password before the next log-in by password. */
export const requirePasswordReset = internal({
  service: 'identity',
  name: 'require-password-reset',
  callers: ['manage'],
  input: z.object({ realm: z.string(), email: z.string().nullable() }),
  output: z.object({ accounts: z.int() }),
  errors: ['BAD_REQUEST', 'NONEXISTENT_SUBDOMAIN'],
})
