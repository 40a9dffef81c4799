import type { Role } from '@parley/contracts'
import type { Tx } from '@parley/kit'
import type { ApiKeys } from '../keys/api-keys.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { dummyEmail, type EmailVisibility, emailVisibility } from './email-visibility.ts'
import { announceNewUser, type UserEvents } from './user-announcements.ts'
import { insertUser, type UserRow } from './user-store.ts'

/** A person's account to be made; everything in it was found valid before. */
export interface AccountWishes {
  readonly realm_id: number
  /** Host of the organization, without a port. */
  readonly realm_host: string
  readonly email: string
  readonly full_name: string
  readonly role: Role
  readonly password_hash: string | null
  readonly email_address_visibility: EmailVisibility
}

/**
 * Makes an account with a key of its own and announces it.
 *
 * @returns undefined when the e-mail belongs to another account of the organization.
 */
export const createAccount = async (
  tx: Tx<UserEvents>,
  keys: ApiKeys,
  wishes: AccountWishes,
): Promise<{ user: UserRow; apiKey: string } | undefined> => {
  if (wishes.email_address_visibility !== emailVisibility.everyone) {
    await lockAccounts(tx.sql, wishes.realm_id)
  }
  const apiKey = keys.generate()
  const user = await insertUser(
    tx.sql,
    {
      realm_id: wishes.realm_id,
      delivery_email: wishes.email,
      full_name: wishes.full_name,
      role: wishes.role,
      email_address_visibility: wishes.email_address_visibility,
      password_hash: wishes.password_hash,
      api_key_hash: keys.hash(apiKey),
      api_key_encrypted: keys.encrypt(apiKey),
    },
    (id) => dummyEmail(id, wishes.realm_host),
  )
  if (user === undefined) return undefined
  await announceNewUser(tx, user)
  return { user, apiKey }
}
