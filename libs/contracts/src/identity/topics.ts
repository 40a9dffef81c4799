import { z } from 'zod'
import { Role } from '../caller.ts'
import { AvatarSource } from '../objects/avatar.ts'
import { OutgoingService } from '../objects/bot.ts'
import { GroupSettingValue } from '../objects/values.ts'
import { topic } from '../topic.ts'

/**
 * The latest state of one account, for other services' projections. Keyed by user ID. `version` grows with every
 * change of the account, so that a copy can tell an older state from a newer one.
 */
export const UserFact = z.object({
  id: z.int(),
  realm_id: z.int(),
  /** API e-mail: the delivery e-mail while everyone may see that, else `user<id>@<realm host>`. */
  email: z.string(),
  /** Where mail goes; never shown without the permission to see it. */
  delivery_email: z.string(),
  full_name: z.string(),
  role: Role,
  is_active: z.boolean(),
  bot_type: z.int().nullable(),
  bot_owner_id: z.int().nullable(),
  avatar_source: AvatarSource,
  avatar_version: z.int(),
  /** ISO 8601 with offset: who waits to become a full member has waited since then. */
  date_joined: z.string().nullish(),
  /** Grows when the API key is replaced: whatever was opened with the old one is to be closed. */
  key_version: z.int().optional(),
  /** UNIX seconds: browser sessions from before are over, but for the one that is spared. */
  sessions_since: z.number().optional(),
  spared_session: z.string().optional(),
  version: z.int(),
})
export type UserFact = z.infer<typeof UserFact>

export const usersTopic = topic('identity.users', { value: UserFact, compacted: true })

/**
 * The latest state of one bot: its account in short, and how it is called. Keyed by user ID; `version` is the
 * account's. The token is a secret between the server and the receiver.
 */
export const BotFact = z.object({
  id: z.int(),
  realm_id: z.int(),
  bot_type: z.int(),
  owner_id: z.int().nullable(),
  is_active: z.boolean(),
  full_name: z.string(),
  email: z.string(),
  /** One element for outgoing-webhook bots, none for others. */
  services: z.array(OutgoingService),
  version: z.int(),
})
export type BotFact = z.infer<typeof BotFact>

export const botsTopic = topic('identity.bots', { value: BotFact, compacted: true })

/**
 * The groups that every organization has (facts, section 10). Each of the first seven contains those before it:
 * an owner is an administrator, and so on; nobody is in `role:nobody`, whoever asks without an account is in
 * `role:internet` only.
 */
export const systemGroupNames = [
  'role:owners',
  'role:administrators',
  'role:moderators',
  'role:fullmembers',
  'role:members',
  'role:everyone',
  'role:internet',
  'role:nobody',
] as const
export type SystemGroupName = (typeof systemGroupNames)[number]

/** The latest state of one organization. Keyed by realm ID. */
export const RealmFact = z.object({
  id: z.int(),
  subdomain: z.string(),
  name: z.string(),
  uuid: z.string(),
  is_active: z.boolean(),
  /** All settings and permission settings as they are in force, by name (realm-settings.ts, permission-settings.ts). */
  settings: z.record(z.string(), z.json()).optional(),
  /** IDs of the system groups, by name; they never change. */
  system_groups: z.record(z.enum(systemGroupNames), z.int()),
  /** In the order in which they are tried; patterns are for compilePattern of @parley/markdown. */
  linkifiers: z.array(z.object({ pattern: z.string(), url_template: z.string() })).optional(),
  version: z.int(),
})
export type RealmFact = z.infer<typeof RealmFact>

export const realmsTopic = topic('identity.realms', { value: RealmFact, compacted: true })

/**
 * The latest state of one user group. Keyed by group ID. Who is in a system group follows from roles, so `member_ids` is
 * empty for those; a group's members are also those of its subgroups, however deep.
 */
export const GroupFact = z.object({
  id: z.int(),
  realm_id: z.int(),
  name: z.string(),
  is_system_group: z.boolean(),
  is_active: z.boolean(),
  /** Direct members, whether their accounts are active or not. */
  member_ids: z.array(z.int()),
  /** Direct subgroups. */
  subgroup_ids: z.array(z.int()),
  can_mention_group: GroupSettingValue,
  version: z.int(),
})
export type GroupFact = z.infer<typeof GroupFact>

export const groupsTopic = topic('identity.groups', { value: GroupFact, compacted: true })

/**
 * What one account chose for itself. Keyed by user ID. Who never chose anything, in an organization that has no defaults
 * of its own, has no record: `allUserSettings({})`, no alert words, nobody muted.
 */
export const PersonalFact = z.object({
  id: z.int(),
  realm_id: z.int(),
  /** Settings that differ from the defaults in user-settings.ts; `allUserSettings` makes them whole. */
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  alert_words: z.array(z.string()),
  muted_user_ids: z.array(z.int()),
  version: z.int(),
})
export type PersonalFact = z.infer<typeof PersonalFact>

export const personalTopic = topic('identity.personal', { value: PersonalFact, compacted: true })

/**
 * Somebody came to an organization: made for a person by the interface, or by an invitation. Keyed by realm ID. Accounts
 * that an operator makes are nobody's arrival.
 */
export const ArrivalFact = z.object({
  realm_id: z.int(),
  user_id: z.int(),
  full_name: z.string(),
  /** What the welcome says besides; null for what the organization says to everybody, empty for nothing. */
  welcome_message_custom_text: z.string().nullable(),
})
export type ArrivalFact = z.infer<typeof ArrivalFact>

export const arrivalsTopic = topic('identity.arrivals', { value: ArrivalFact, compacted: false })

/** What an administrator wanted done besides when an account was ended; only told when there is something. Keyed by realm ID. */
export const DepartureFact = z.object({
  realm_id: z.int(),
  user_id: z.int(),
  /** Where the account got its mail. */
  email: z.string(),
  /** To be told to its owner by mail, perhaps without a word; null: no mail. */
  comment: z.string().nullable(),
  /** Of which kinds of conversations the account's messages are to be deleted. */
  deletes_messages: z.array(z.enum(['public_channels', 'private_channels', 'direct'])),
})
export type DepartureFact = z.infer<typeof DepartureFact>

export const departuresTopic = topic('identity.departures', { value: DepartureFact, compacted: false })
