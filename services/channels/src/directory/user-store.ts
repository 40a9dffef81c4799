import type { UserFact } from '@parley/contracts/identity/topics'
import type { Queries } from '../room.ts'

const columns = (sql: Queries) => sql`
  id, realm_id, email, delivery_email, full_name, role, is_active, bot_type, bot_owner_id, avatar_source,
  avatar_version, to_json(date_joined) #>> '{}' AS date_joined, version`

const insertion = (sql: Queries, users: readonly UserFact[]) => sql`
    INSERT INTO users (
      id, realm_id, email, delivery_email, full_name, role, is_active, bot_type, bot_owner_id, avatar_source,
      avatar_version, date_joined, version)
    SELECT id, realm_id, email, delivery_email, full_name, role, is_active, bot_type, bot_owner_id, avatar_source,
      avatar_version, date_joined, version
    FROM jsonb_populate_recordset(NULL::users, ${JSON.stringify(users)}::text::jsonb)
    ORDER BY id`

/**
 * Keeps those that are not known at all. What became of a known account is for its fact to say, which also tells whom it
 * concerns.
 */
export const addUsers = async (sql: Queries, users: readonly UserFact[]): Promise<void> => {
  if (users.length > 0) await sql`${insertion(sql, users)} ON CONFLICT (id) DO NOTHING`
}

/** Keeps these states, each unless a newer one is stored. */
export const saveUsers = async (sql: Queries, users: readonly UserFact[]): Promise<void> => {
  if (users.length === 0) return
  await sql`
    ${insertion(sql, users)}
    ON CONFLICT (id) DO UPDATE SET
      realm_id = excluded.realm_id, email = excluded.email, delivery_email = excluded.delivery_email,
      full_name = excluded.full_name, role = excluded.role, is_active = excluded.is_active,
      bot_type = excluded.bot_type, bot_owner_id = excluded.bot_owner_id, avatar_source = excluded.avatar_source,
      avatar_version = excluded.avatar_version, date_joined = excluded.date_joined,
      version = excluded.version
    WHERE users.version < excluded.version`
}

export const usersByIds = (sql: Queries, realmId: number, ids: readonly number[]): Promise<UserFact[]> =>
  sql<UserFact[]>`
    SELECT ${columns(sql)} FROM users WHERE realm_id = ${realmId} AND id = ANY (${[...ids]}::bigint[])`

/** IDs of those that are deactivated. Who is not known here yet is active. */
export const deactivatedAmong = async (sql: Queries, ids: readonly number[]): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT id FROM users WHERE id = ANY (${[...ids]}::bigint[]) AND NOT is_active`
  return rows.map(({ id }) => id)
}

/** By API e-mail: finding people by the address that they hide would tell that it is theirs. */
export const usersByEmails = (
  sql: Queries,
  realmId: number,
  emails: readonly string[],
): Promise<UserFact[]> =>
  sql<UserFact[]>`
    SELECT ${columns(sql)} FROM users WHERE realm_id = ${realmId}
      AND lower(email) IN (SELECT lower(sought) FROM unnest(${[...emails]}::text[]) AS sought)`

/** Active users with these names, whatever the case. */
export const usersByFullNames = (
  sql: Queries,
  realmId: number,
  names: readonly string[],
): Promise<UserFact[]> =>
  sql<UserFact[]>`
    SELECT ${columns(sql)} FROM users
    WHERE realm_id = ${realmId} AND is_active
      AND lower(full_name) IN (SELECT lower(sought) FROM unnest(${[...names]}::text[]) AS sought)
    ORDER BY id`
