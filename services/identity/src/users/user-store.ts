import type { Role } from '@parley/contracts'
import type { AvatarSource } from '@parley/contracts/objects/avatar'
import type { Queries } from '../room.ts'
import { type EmailVisibility, isEmailPublic } from './email-visibility.ts'

/** One account as stored, without its secrets. */
export interface UserRow {
  readonly id: number
  readonly realm_id: number
  readonly email: string
  readonly delivery_email: string
  readonly full_name: string
  readonly role: Role
  readonly is_active: boolean
  readonly bot_type: number | null
  readonly bot_owner_id: number | null
  readonly timezone: string
  readonly avatar_source: AvatarSource
  readonly avatar_version: number
  readonly email_address_visibility: EmailVisibility
  readonly is_imported_stub: boolean
  /** The account's data was removed for good. */
  readonly is_deleted: boolean
  /** ISO 8601 with offset, in UTC. */
  readonly date_joined: string
  /** Grows when the API key is replaced. */
  readonly key_version: number
  /** UNIX seconds: browser sessions from before are over. Null where none was ended so. */
  readonly sessions_since: number | null
  /** The session that goes on nevertheless. */
  readonly spared_session: string | null
  readonly version: number
}

const columns = (sql: Queries) => sql`
  id, realm_id, email, delivery_email, full_name, role, is_active, bot_type, bot_owner_id, timezone, avatar_source,
  avatar_version, email_address_visibility, is_imported_stub, is_deleted,
  to_char(date_joined AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') AS date_joined, key_version, sessions_since,
  spared_session, version`

/** PostgreSQL cannot hold this character, so nothing stored has it (and asking for it is an error of its own). */
export const holdsNul = (text: string): boolean => text.includes('\0')

/** All accounts of an organization, or those of `ids` that are in it, by ID. */
export const usersOfRealm = (sql: Queries, realmId: number, ids?: readonly number[]): Promise<UserRow[]> =>
  sql<UserRow[]>`
    SELECT ${columns(sql)} FROM users
    WHERE realm_id = ${realmId} ${ids === undefined ? sql`` : sql`AND id = ANY (${[...ids]}::bigint[])`}
    ORDER BY id`

/**
 * Accounts of an organization with IDs after one, by ID: at most `count`, of `ids` only when given. One page of a list that
 * may be long.
 */
export const usersAfter = (
  sql: Queries,
  realmId: number,
  after: number,
  count: number,
  ids?: readonly number[],
): Promise<UserRow[]> =>
  sql<UserRow[]>`
    SELECT ${columns(sql)} FROM users
    WHERE realm_id = ${realmId} AND id > ${after}
      ${ids === undefined ? sql`` : sql`AND id = ANY (${[...ids]}::bigint[])`}
    ORDER BY id LIMIT ${count}`

/** Accounts of an organization with IDs after one and up to another, by ID; active or ended ones only when that is given. */
export const usersBetween = (
  sql: Queries,
  realmId: number,
  { after, last }: { readonly after: number; readonly last: number },
  isActive: boolean | undefined,
): Promise<UserRow[]> =>
  sql<UserRow[]>`
    SELECT ${columns(sql)} FROM users
    WHERE realm_id = ${realmId} AND id > ${after} AND id <= ${last}
      ${isActive === undefined ? sql`` : sql`AND is_active = ${isActive}`}
    ORDER BY id`

export const userById = async (sql: Queries, realmId: number, id: number): Promise<UserRow | undefined> => {
  const [user] = await sql<UserRow[]>`
    SELECT ${columns(sql)} FROM users WHERE id = ${id} AND realm_id = ${realmId}`
  return user
}

/** Accounts whose API or delivery e-mail is one of `emails`, ignoring case; by ID. */
export const usersByEmail = async (
  sql: Queries,
  realmId: number,
  emails: readonly string[],
): Promise<UserRow[]> => {
  const sought = emails.filter((email) => !holdsNul(email))
  if (sought.length === 0) return []
  return sql<UserRow[]>`
    WITH sought AS (SELECT array_agg(lower(email)) AS emails FROM unnest(${sought}::text[]) AS email)
    SELECT ${columns(sql)} FROM users
    WHERE realm_id = ${realmId}
      AND (lower(email) = ANY ((SELECT emails FROM sought)::text[])
        OR lower(delivery_email) = ANY ((SELECT emails FROM sought)::text[]))
    ORDER BY id`
}

export interface NewUser {
  readonly realm_id: number
  readonly delivery_email: string
  readonly full_name: string
  readonly role: Role
  readonly email_address_visibility: EmailVisibility
  readonly avatar_source: AvatarSource
  readonly bot_type: number | null
  readonly bot_owner_id: number | null
  readonly awaits_first_log_in: boolean
  readonly password_hash: string | null
  readonly api_key_hash: Uint8Array
  readonly api_key_encrypted: Uint8Array
}

/**
 * Adds an account. `dummyFor` makes the address that stands for a hidden e-mail.
 *
 * @returns undefined when the e-mail belongs to another account of the organization (in whatever case).
 */
export const insertUser = async (
  sql: Queries,
  user: NewUser,
  dummyFor: (id: number) => string,
): Promise<UserRow | undefined> => {
  const [next] = await sql<
    { id: number }[]
  >`SELECT nextval(pg_get_serial_sequence('users', 'id'))::bigint AS id`
  const { id } = next!
  const isPublic = isEmailPublic(user)
  const [made] = await sql<UserRow[]>`
    INSERT INTO users ${sql({ ...user, id, email: isPublic ? user.delivery_email : dummyFor(id) })}
    ON CONFLICT DO NOTHING
    RETURNING ${columns(sql)}`
  return made
}

/** What {@link updateUser} may set; undefined stands for no change. */
export interface UserChanges {
  email?: string
  delivery_email?: string
  full_name?: string
  role?: Role
  bot_owner_id?: number
  email_address_visibility?: EmailVisibility
  is_deleted?: boolean
  timezone?: string
  avatar_source?: AvatarSource
  avatar_version?: number
  password_hash?: string | null
  password_reset_required?: boolean
  api_key_hash?: Uint8Array
  api_key_encrypted?: Uint8Array
  key_version?: number
  sessions_since?: number
  spared_session?: string | null
}

/** Changes an account, which exists, and its version. */
export const updateUser = async (
  sql: Queries,
  realmId: number,
  id: number,
  changes: UserChanges,
): Promise<UserRow> => {
  const isAny = Object.keys(changes).length > 0
  const [user] = await sql<UserRow[]>`
    ${isAny ? sql`UPDATE users SET ${sql({ ...changes })}, version = version + 1` : sql`UPDATE users SET version = version + 1`}
    WHERE id = ${id} AND realm_id = ${realmId}
    RETURNING ${columns(sql)}`
  return user!
}

/** @returns the account as it is now, or undefined when it was so already. */
export const setActive = async (
  sql: Queries,
  realmId: number,
  id: number,
  isActive: boolean,
): Promise<UserRow | undefined> => {
  const [user] = await sql<UserRow[]>`
    UPDATE users SET is_active = ${isActive}, version = version + 1
    WHERE id = ${id} AND realm_id = ${realmId} AND is_active <> ${isActive}
    RETURNING ${columns(sql)}`
  return user
}

/** Active accounts with these names, whatever the case. */
export const usersByFullName = async (
  sql: Queries,
  realmId: number,
  names: readonly string[],
): Promise<UserRow[]> => {
  const sought = names.filter((name) => !holdsNul(name))
  if (sought.length === 0) return []
  return sql<UserRow[]>`
    SELECT ${columns(sql)} FROM users
    WHERE realm_id = ${realmId} AND is_active
      AND lower(full_name) IN (SELECT lower(name) FROM unnest(${sought}::text[]) AS name)
    ORDER BY id`
}

/** Whether another active account has this name, in whatever case. */
export const isFullNameUsed = async (
  sql: Queries,
  realmId: number,
  fullName: string,
  exceptId = 0,
): Promise<boolean> => {
  const used = await sql`
    SELECT FROM users
    WHERE realm_id = ${realmId} AND is_active AND lower(full_name) = lower(${fullName}) AND id <> ${exceptId}
    LIMIT 1`
  return used.count > 0
}

/** Whether another account, active or not, has this address, in whatever case. */
export const isEmailUsed = async (
  sql: Queries,
  realmId: number,
  email: string,
  exceptId = 0,
): Promise<boolean> => {
  const users = await usersByEmail(sql, realmId, [email])
  return users.some(({ id }) => id !== exceptId)
}

/** IDs of the active bots that an account owns. */
export const activeBotsOf = async (sql: Queries, ownerId: number): Promise<number[]> => {
  const bots = await sql<{ id: number }[]>`
    SELECT id FROM users WHERE bot_owner_id = ${ownerId} AND is_active ORDER BY id`
  return bots.map(({ id }) => id)
}

/** @returns the account as it is now, or undefined when it was used before. */
export const takeFirstLogIn = async (
  sql: Queries,
  realmId: number,
  id: number,
): Promise<UserRow | undefined> => {
  const [user] = await sql<UserRow[]>`
    UPDATE users
    SET awaits_first_log_in = false, is_imported_stub = false, date_joined = now(), version = version + 1
    WHERE id = ${id} AND realm_id = ${realmId} AND awaits_first_log_in
    RETURNING ${columns(sql)}`
  return user
}

/** People of an organization whose address not everybody may see. */
export const usersWithHiddenEmail = (sql: Queries, realmId: number): Promise<UserRow[]> =>
  sql<UserRow[]>`
    SELECT ${columns(sql)} FROM users
    WHERE realm_id = ${realmId} AND email_address_visibility <> 1 AND bot_type IS NULL ORDER BY id`
