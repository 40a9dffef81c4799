import type { Queries } from '../room.ts'

/** A status as stored; empty texts stand for nothing set. */
export interface StatusRow {
  readonly user_id: number
  readonly away: boolean
  readonly status_text: string
  readonly emoji_name: string
  readonly emoji_code: string
  readonly reaction_type: string
}

/** What is to be different; what is absent stays. */
export type StatusChanges = { readonly [K in keyof Omit<StatusRow, 'user_id'>]?: StatusRow[K] | undefined }

const columns = (sql: Queries) => sql`user_id, away, status_text, emoji_name, emoji_code, reaction_type`

export const statusOf = async (
  sql: Queries,
  realmId: number,
  userId: number,
): Promise<StatusRow | undefined> => {
  const [status] = await sql<StatusRow[]>`
    SELECT ${columns(sql)} FROM user_status WHERE user_id = ${userId} AND realm_id = ${realmId}`
  return status
}

/** Of active accounts, where anything is set. */
export const statusesOfRealm = (sql: Queries, realmId: number): Promise<StatusRow[]> =>
  sql<StatusRow[]>`
    SELECT ${columns(sql)} FROM user_status
    WHERE realm_id = ${realmId} AND is_active AND (away OR status_text <> '' OR emoji_name <> '')
    ORDER BY user_id`

export const isAway = async (sql: Queries, userId: number): Promise<boolean> => {
  const [status] = await sql<{ away: boolean }[]>`SELECT away FROM user_status WHERE user_id = ${userId}`
  return status?.away ?? false
}

/** Changes one status, which need not be there, and holds its row until the end of the transaction. */
export const saveStatus = async (
  sql: Queries,
  realmId: number,
  userId: number,
  changes: StatusChanges,
): Promise<void> => {
  const values = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  await sql`
    INSERT INTO user_status ${sql({ user_id: userId, realm_id: realmId, ...values })}
    ON CONFLICT (user_id) DO UPDATE SET ${sql(values)}`
}

/** Shows or no longer shows an account's status. */
export const showStatus = async (sql: Queries, userId: number, isActive: boolean): Promise<void> => {
  await sql`UPDATE user_status SET is_active = ${isActive} WHERE user_id = ${userId} AND is_active <> ${isActive}`
}
