import { z } from 'zod'
import { CallerRealm, CallerUser, Role } from '../caller.ts'
import { internal } from '../internal.ts'
import { UserPermission } from '../objects/user.ts'
import { BotFact, RealmFact, UserFact } from './topics.ts'

/** An account that may call, and the version of its state; null when the credentials fit nobody. */
export const authenticate = internal({
  service: 'identity',
  name: 'authenticate',
  callers: ['gateway'],
  input: z.object({ realm_id: z.int(), email: z.string(), api_key: z.string() }),
  output: z.object({
    outcome: z.enum(['accepted', 'invalid', 'user_deactivated', 'realm_deactivated']),
    user: CallerUser.nullable(),
    version: z.int(),
  }),
})

/** The organization at a subdomain; null when there is none. */
export const findRealm = internal({
  service: 'identity',
  name: 'find-realm',
  callers: ['gateway', 'manage'],
  input: z.object({ subdomain: z.string() }),
  output: z.object({
    realm: CallerRealm.extend({ is_active: z.boolean(), version: z.int() }).nullable(),
  }),
})

/** The state of an organization, for services whose projection does not hold it yet; null when there is none. */
export const findRealmById = internal({
  service: 'identity',
  name: 'find-realm-by-id',
  callers: ['channels', 'presence', 'invitations', 'uploads', 'webhook-dispatcher', 'event-queue'],
  input: z.object({ realm_id: z.int() }),
  output: z.object({ realm: RealmFact.nullable() }),
})

/** Accounts by ID or by e-mail (API or delivery), for services whose projection does not hold them yet. */
export const findUsers = internal({
  service: 'identity',
  name: 'find-users',
  callers: ['gateway', 'channels', 'presence', 'invitations', 'uploads', 'webhook-dispatcher', 'event-queue'],
  input: z.object({
    realm_id: z.int(),
    ids: z.array(z.int()).max(10_000).default([]),
    emails: z.array(z.string()).max(10_000).default([]),
    /** Of active accounts, whatever the case. */
    full_names: z.array(z.string()).max(10_000).optional(),
  }),
  output: z.object({ users: z.array(UserFact) }),
})

/** The bots among some accounts, deactivated ones too, for services whose copy does not hold them yet. */
export const findBots = internal({
  service: 'identity',
  name: 'find-bots',
  callers: ['webhook-dispatcher'],
  input: z.object({ realm_id: z.int(), ids: z.array(z.int()).max(10_000) }),
  output: z.object({ bots: z.array(BotFact) }),
})

export const createRealm = internal({
  service: 'identity',
  name: 'create-realm',
  callers: ['manage'],
  input: z.object({
    subdomain: z.string(),
    name: z.string(),
    /** Makes it a demo organization, which is deleted after so many days. */
    demo_days: z.int().positive().max(3650).nullish(),
  }),
  output: z.object({ realm_id: z.int(), subdomain: z.string(), name: z.string(), url: z.string() }),
  errors: ['BAD_REQUEST'],
})

export const createUser = internal({
  service: 'identity',
  name: 'create-user',
  callers: ['manage'],
  input: z.object({
    realm: z.string(),
    email: z.string(),
    full_name: z.string(),
    role: Role,
    password: z.string().nullable(),
  }),
  output: z.object({ user_id: z.int(), email: z.string(), api_key: z.string() }),
  errors: ['BAD_REQUEST', 'NONEXISTENT_SUBDOMAIN'],
})

export const showApiKey = internal({
  service: 'identity',
  name: 'show-api-key',
  callers: ['manage'],
  input: z.object({ realm: z.string(), email: z.string() }),
  output: z.object({ user_id: z.int(), email: z.string(), api_key: z.string() }),
  errors: ['BAD_REQUEST', 'NONEXISTENT_SUBDOMAIN'],
})

/** Ends an account: no key, session or queue of it works within a second. */
export const deactivateUser = internal({
  service: 'identity',
  name: 'deactivate-user',
  callers: ['manage'],
  input: z.object({ realm: z.string(), email: z.string() }),
  output: z.object({ user_id: z.int() }),
  errors: ['BAD_REQUEST', 'NONEXISTENT_SUBDOMAIN'],
})

export const grantUserPermission = internal({
  service: 'identity',
  name: 'grant-user-permission',
  callers: ['manage'],
  input: z.object({
    realm: z.string(),
    email: z.string(),
    permission: UserPermission,
    is_granted: z.boolean(),
  }),
  output: z.object({ user_id: z.int() }),
  errors: ['BAD_REQUEST', 'NONEXISTENT_SUBDOMAIN'],
})
