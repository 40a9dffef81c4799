import type { UserFact } from '@parley/contracts/identity/topics'
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

/** Whether somebody's presence is hidden: by their settings, or since they are away. */
export const isHidden = async (sql: Queries, userId: number): Promise<boolean> => {
  const [status] = await sql<{ is_hidden: boolean }[]>`
    SELECT away OR NOT presence_enabled AS is_hidden FROM user_status WHERE user_id = ${userId}`
  return status?.is_hidden ?? false
}

/**
 * Keeps whether somebody's settings show their presence.
 *
 * @returns whether it is hidden from now on; undefined when that is as it was.
 */
export const storePresenceEnabled = async (
  sql: Queries,
  realmId: number,
  userId: number,
  isEnabled: boolean,
): Promise<boolean | undefined> => {
  const [changed] = isEnabled
    ? await sql<{ away: boolean }[]>`
        UPDATE user_status SET presence_enabled = true
        WHERE user_id = ${userId} AND NOT presence_enabled RETURNING away`
    : await sql<{ away: boolean }[]>`
        INSERT INTO user_status (user_id, realm_id, presence_enabled) VALUES (${userId}, ${realmId}, false)
        ON CONFLICT (user_id) DO UPDATE SET presence_enabled = false WHERE user_status.presence_enabled
        RETURNING away`
  // Who is away is hidden either way.
  return changed === undefined || changed.away ? undefined : !isEnabled
}

/**
 * Changes one status, which need not be there, and holds its row until the end of the transaction.
 *
 * @returns whether the settings show the presence.
 */
export const saveStatus = async (
  sql: Queries,
  realmId: number,
  userId: number,
  changes: StatusChanges,
): Promise<boolean> => {
  const values = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const [saved] = await sql<[{ presence_enabled: boolean }]>`
    INSERT INTO user_status ${sql({ user_id: userId, realm_id: realmId, ...values })}
    ON CONFLICT (user_id) DO UPDATE SET ${sql(values)} RETURNING presence_enabled`
  return saved.presence_enabled
}

/**
 * Shows or no longer shows an account's status. That an account has ended is noted even without one: a change may be on its
 * way, or come from who has not heard of it.
 */
export const showStatus = async (
  sql: Queries,
  { id, realm_id, is_active }: Pick<UserFact, 'id' | 'realm_id' | 'is_active'>,
): Promise<void> => {
  if (is_active) {
    await sql`UPDATE user_status SET is_active = true WHERE user_id = ${id} AND NOT is_active`
    return
  }
  await sql`
    INSERT INTO user_status (user_id, realm_id, is_active) VALUES (${id}, ${realm_id}, false)
    ON CONFLICT (user_id) DO UPDATE SET is_active = false WHERE user_status.is_active`
}
