import type { Role } from '@parley/contracts'
import { type ArrivalFact, arrivalsTopic } from '@parley/contracts/identity/topics'
import { AvatarSource } from '@parley/contracts/objects/avatar'
import type { Tx } from '@parley/kit'
import type { ApiKeys } from '../keys/api-keys.ts'
import { publishPersonal } from '../personal/personal-facts.ts'
import { startPersonal } from '../personal/personal-store.ts'
import { lockAccounts, realmById } from '../realms/realm-store.ts'
import { settingsInForce } from '../realms/settings-in-force.ts'
import type { Queries } from '../room.ts'
import { settingsOfNewPerson } from '../settings/defaults-store.ts'
import { dummyEmail, type EmailVisibility, emailVisibility } from './email-visibility.ts'
import { announceNewUser, type UserEvents } from './user-announcements.ts'
import { insertUser, type UserRow } from './user-store.ts'

/** An account to be made; everything in it was found valid before. */
export interface AccountWishes {
  readonly realm_id: number
  /** Host of the organization, without a port. */
  readonly realm_host: string
  readonly email: string
  readonly full_name: string
  readonly role: Role
  readonly password_hash: string | null
  readonly email_address_visibility: EmailVisibility
  /** Made by another than the one who will use it. */
  readonly awaits_first_log_in?: boolean
  /** Not given for people. */
  readonly bot?: { readonly bot_type: number; readonly bot_owner_id: number }
  /** As the organization has it unless given. */
  readonly avatar_source?: AvatarSource
}

interface MadeAccount {
  readonly user: UserRow
  readonly apiKey: string
}

/**
 * Makes an account with a key of its own, which is still to be announced.
 *
 * @returns undefined when the e-mail belongs to another account of the organization.
 */
export const insertAccount = async (
  sql: Queries,
  keys: ApiKeys,
  { realm_host, email, bot, avatar_source, awaits_first_log_in = false, ...wishes }: AccountWishes,
): Promise<MadeAccount | undefined> => {
  const apiKey = keys.generate()
  const realm = (await realmById(sql, wishes.realm_id))!
  const user = await insertUser(
    sql,
    {
      ...wishes,
      delivery_email: email,
      avatar_source: avatar_source ?? AvatarSource.parse(settingsInForce(realm).default_avatar_source),
      awaits_first_log_in,
      bot_type: bot?.bot_type ?? null,
      bot_owner_id: bot?.bot_owner_id ?? null,
      api_key_hash: keys.hash(apiKey),
      api_key_encrypted: keys.encrypt(apiKey),
    },
    (id) => dummyEmail(id, realm_host),
  )
  return user === undefined ? undefined : { user, apiKey }
}

/**
 * Makes a person's account, with the settings that new people of the organization start with, and announces it.
 *
 * @returns undefined when the e-mail belongs to another account of the organization.
 */
export const createAccount = async (
  tx: Tx<UserEvents>,
  keys: ApiKeys,
  {
    arrival,
    ...wishes
  }: Omit<AccountWishes, 'email_address_visibility' | 'bot'> & {
    /** As the organization has it unless given. */
    readonly email_address_visibility?: EmailVisibility
    /** That it is somebody's arrival, who is welcomed with this text (null: the organization's). */
    readonly arrival?: Pick<ArrivalFact, 'welcome_message_custom_text'>
  },
): Promise<MadeAccount | undefined> => {
  const { email_address_visibility: chosen, ...settings } = await settingsOfNewPerson(tx.sql, wishes.realm_id)
  const email_address_visibility = (wishes.email_address_visibility ??
    chosen ??
    emailVisibility.everyone) as EmailVisibility
  // Of two newcomers one has to find the other.
  await lockAccounts(tx.sql, wishes.realm_id)
  const made = await insertAccount(tx.sql, keys, { ...wishes, email_address_visibility })
  if (made === undefined) return undefined
  await announceNewUser(tx, made.user, wishes.realm_host)
  const hasChoices = await startPersonal(tx.sql, made.user.id, settings)
  if (hasChoices || email_address_visibility !== emailVisibility.everyone)
    await publishPersonal(tx, wishes.realm_id, [made.user.id])
  if (arrival !== undefined) {
    const { realm_id, id: user_id, full_name } = made.user
    tx.publish(arrivalsTopic, realm_id, { realm_id, user_id, full_name, ...arrival })
  }
  return made
}
