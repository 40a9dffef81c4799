import { z } from 'zod'

export const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const
export type RoleName = keyof typeof roles
/** Smaller is more powerful. */
export type Role = (typeof roles)[RoleName]
export const Role = z.literal([100, 200, 300, 400, 600])

export const botTypes = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3, embedded: 4 } as const

/** The ID that stands for "no organization lives at this host" where an endpoint may be asked there. */
export const noRealm = 0

export const CallerRealm = z.object({
  id: z.int(),
  /** Empty for the realm at the root host. */
  subdomain: z.string(),
  /** Absolute, without a trailing slash. */
  url: z.string(),
})
export type CallerRealm = z.infer<typeof CallerRealm>

export const CallerUser = z.object({
  id: z.int(),
  role: Role,
  /** Null for people. */
  bot_type: z.int().nullable(),
  /** Which of the account's API keys in turn is in force: what was opened with an older one is closed. */
  key_version: z.int().optional(),
})
export type CallerUser = z.infer<typeof CallerUser>

/** Who is asking, as the gateway signed it: an account of a realm, or (user null) anybody at its host. */
export const Caller = z.object({
  realm: CallerRealm,
  user: CallerUser.nullable(),
  /** The browser session that is used, by the name that its owner sees; absent for who calls by API key. */
  session: z.string().optional(),
  /** The client's name: from its User-Agent, unless the parameter `client` says otherwise. */
  client: z.string(),
})
export type Caller = z.infer<typeof Caller>

export type KnownCaller = Caller & { user: CallerUser }

export const isAtLeast = (user: CallerUser, role: RoleName): boolean => user.role <= roles[role]
