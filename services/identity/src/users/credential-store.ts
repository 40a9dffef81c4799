import type { Role } from '@parley/contracts'
import type { Queries } from '../room.ts'
import { holdsNul } from './user-store.ts'

export interface Account {
  readonly id: number
  readonly role: Role
  readonly bot_type: number | null
  readonly is_active: boolean
  readonly realm_is_active: boolean
  readonly key_version: number
  readonly version: number
}

interface Secrets {
  readonly awaits_first_log_in: boolean
  readonly delivery_email: string
  readonly password_hash: string | null
  readonly password_reset_required: boolean
  readonly api_key_hash: Uint8Array
  readonly api_key_encrypted: Uint8Array
}

export type AccountWithSecrets = Account & Secrets

const accountColumns = (sql: Queries) => sql`
  users.id, users.role, users.bot_type, users.is_active, realms.is_active AS realm_is_active,
  users.key_version, users.version`

/**
 * The account that a key belongs to, when the e-mail (API or delivery, ignoring case) is its own. An unknown e-mail and
 * a wrong key take the same one look-up, by the key's hash.
 */
export const accountByKey = async (
  sql: Queries,
  realmId: number,
  email: string,
  keyHash: Uint8Array,
): Promise<Account | undefined> => {
  if (holdsNul(email)) return undefined
  const [account] = await sql<Account[]>`
    SELECT ${accountColumns(sql)} FROM users JOIN realms ON realms.id = users.realm_id
    WHERE users.api_key_hash = ${keyHash} AND users.realm_id = ${realmId}
      AND lower(${email}) IN (lower(users.email), lower(users.delivery_email))`
  return account
}

/** The account of a delivery e-mail (ignoring case), with what logging in compares and hands out. */
export const accountByDeliveryEmail = async (
  sql: Queries,
  realmId: number,
  email: string,
): Promise<AccountWithSecrets | undefined> => {
  if (holdsNul(email)) return undefined
  const [account] = await sql<AccountWithSecrets[]>`
    SELECT ${accountColumns(sql)}, delivery_email, password_hash, password_reset_required, api_key_hash, api_key_encrypted,
      awaits_first_log_in
    FROM users JOIN realms ON realms.id = users.realm_id
    WHERE users.realm_id = ${realmId} AND lower(delivery_email) = lower(${email})`
  return account
}

type StoredKey = Pick<Secrets, 'api_key_hash' | 'api_key_encrypted'>

/** The keys of accounts, as stored, by account ID. */
export const keysOf = async (sql: Queries, ids: readonly number[]): Promise<Map<number, StoredKey>> => {
  const rows = await sql<({ id: number } & StoredKey)[]>`
    SELECT id, api_key_hash, api_key_encrypted FROM users WHERE id = ANY (${[...ids]}::bigint[])`
  return new Map(rows.map((row) => [row.id, row]))
}

export const passwordHashOf = async (sql: Queries, userId: number): Promise<string | null> => {
  const [row] = await sql<Pick<Secrets, 'password_hash'>[]>`
    SELECT password_hash FROM users WHERE id = ${userId}`
  return row?.password_hash ?? null
}
