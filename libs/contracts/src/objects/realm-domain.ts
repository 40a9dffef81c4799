import { z } from 'zod'

/** An e-mail domain from which people may join; lower case, internationalised ones in their ASCII form. */
export const RealmDomain = z.strictObject({ domain: z.string(), allow_subdomains: z.boolean() })
export type RealmDomain = z.infer<typeof RealmDomain>
