import { z } from 'zod'
import { internal } from '../internal.ts'

/** Whether an organization takes an address for a new account; what is wrong with it, as a sentence. */
export const judgeAddress = internal({
  service: 'invitations',
  name: 'judge-address',
  callers: ['identity'],
  input: z.object({
    realm_id: z.int(),
    email: z.string(),
    /** The organization's settings as they are now. */
    emails_restricted_to_domains: z.boolean(),
    disallow_disposable_email_addresses: z.boolean(),
  }),
  output: z.object({ finding: z.string().nullable() }),
})

/** Has a new address of an account confirmed by mail; when that is done, invitations tells identity (`take-new-address`). */
export const proveNewAddress = internal({
  service: 'invitations',
  name: 'prove-new-address',
  callers: ['identity'],
  input: z.object({ realm_id: z.int(), user_id: z.int(), old_email: z.string(), new_email: z.string() }),
  output: z.object({}),
  errors: ['BAD_REQUEST'],
})
