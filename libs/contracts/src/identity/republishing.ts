import { z } from 'zod'
import { internal } from '../internal.ts'

/** Kinds of facts of which others keep copies; those of bots go with accounts. */
export const RepublishedKind = z.enum(['realms', 'users', 'groups', 'personal'])
export type RepublishedKind = z.infer<typeof RepublishedKind>

/**
 * Publishes the present states of a kind again, each as a newer version, so that every copy takes it whatever it held.
 * A portion at a time, in the order of IDs.
 */
export const republish = internal({
  service: 'identity',
  name: 'republish',
  callers: ['manage'],
  input: z.object({
    kind: RepublishedKind,
    /** Of one organization, or of all. */
    realm: z.string().nullable(),
    after_id: z.int(),
  }),
  output: z.object({
    published: z.int(),
    /** Where to go on; null when all is done. */
    last_id: z.int().nullable(),
  }),
  errors: ['NONEXISTENT_SUBDOMAIN'],
})
