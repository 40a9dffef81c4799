import { z } from 'zod'
import { internal } from '../internal.ts'

const Realm = z.object({
  realm_id: z.int(),
  subdomain: z.string(),
  name: z.string(),
  url: z.string(),
  is_active: z.boolean(),
  /** ISO 8601; null while it is active. */
  deactivated_at: z.string().nullable(),
  /** ISO 8601; null when its data is kept. */
  deletion_due_at: z.string().nullable(),
})

export const listRealms = internal({
  service: 'identity',
  name: 'list-realms',
  callers: ['manage'],
  input: z.object({}),
  output: z.object({ realms: z.array(Realm) }),
})

/** As its owners do by POST /realm/deactivate, with the same bounds. */
export const endRealm = internal({
  service: 'identity',
  name: 'end-realm',
  callers: ['manage'],
  input: z.object({ realm: z.string(), deletion_delay_days: z.int().nullable() }),
  output: Realm,
  errors: ['BAD_REQUEST', 'NONEXISTENT_SUBDOMAIN'],
})

/** Brings an organization back whose data is still there. */
export const reactivateRealm = internal({
  service: 'identity',
  name: 'reactivate-realm',
  callers: ['manage'],
  input: z.object({ realm: z.string() }),
  output: Realm,
  errors: ['BAD_REQUEST', 'NONEXISTENT_SUBDOMAIN'],
})
