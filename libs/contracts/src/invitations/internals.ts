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
