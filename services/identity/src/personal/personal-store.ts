import type { PersonalFact } from '@parley/contracts/identity/topics'
import type { UserSettingValue } from '@parley/contracts/identity/user-settings'
import type { MutedUser } from '@parley/contracts/objects/muted-user'
import type { Queries } from '../room.ts'

export type StoredSettings = Readonly<Record<string, UserSettingValue>>

export interface PersonalRow {
  readonly user_id: number
  /** What differs from the defaults; not the time zone, nor who sees the e-mail address. */
  readonly settings: StoredSettings
  /** Names of settings that the account itself changed once. */
  readonly chosen: readonly string[]
  readonly alert_words: readonly string[]
}

/** Makes sure that accounts have a row, and holds the rows until the end of the transaction; by user ID. */
export const lockPersonal = async (sql: Queries, userIds: readonly number[]): Promise<PersonalRow[]> => {
  const ids = [...userIds].sort((a, b) => a - b)
  await sql`
    INSERT INTO personal (user_id) SELECT id FROM unnest(${ids}::bigint[]) AS id ORDER BY id
    ON CONFLICT DO NOTHING`
  return sql<PersonalRow[]>`
    SELECT user_id, settings, chosen, alert_words FROM personal WHERE user_id = ANY (${ids}::bigint[])
    ORDER BY user_id FOR UPDATE`
}

export const personalOf = async (sql: Queries, userId: number): Promise<PersonalRow> => {
  const [row] = await sql<PersonalRow[]>`
    SELECT user_id, settings, chosen, alert_words FROM personal WHERE user_id = ${userId}`
  return row ?? { user_id: userId, settings: {}, chosen: [], alert_words: [] }
}

/** Writes rows that `lockPersonal` gave. */
export const storePersonal = async (sql: Queries, rows: readonly PersonalRow[]): Promise<void> => {
  await sql`
    UPDATE personal SET settings = changed.settings, version = version + 1,
      chosen = ARRAY(SELECT jsonb_array_elements_text(changed.chosen)),
      alert_words = ARRAY(SELECT jsonb_array_elements_text(changed.alert_words))
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      AS changed (user_id bigint, settings jsonb, chosen jsonb, alert_words jsonb)
    WHERE personal.user_id = changed.user_id`
}

/** What a new person starts with; nothing is stored when all of it is as the code has it. */
export const startPersonal = async (
  sql: Queries,
  userId: number,
  settings: StoredSettings,
): Promise<boolean> => {
  if (Object.keys(settings).length === 0) return false
  await sql`
    INSERT INTO personal (user_id, settings) VALUES (${userId}, ${JSON.stringify(settings)}::text::jsonb)`
  return true
}

export const mutedBy = (sql: Queries, userId: number): Promise<MutedUser[]> =>
  sql<MutedUser[]>`
    SELECT muted_user_id AS id, extract(epoch FROM muted_at)::bigint AS timestamp
    FROM muted_users WHERE user_id = ${userId} ORDER BY muted_at, muted_user_id`

/** @returns false when it was so already. */
export const storeMute = async (sql: Queries, userId: number, mutedId: number): Promise<boolean> => {
  const stored = await sql`
    INSERT INTO muted_users (user_id, muted_user_id) VALUES (${userId}, ${mutedId}) ON CONFLICT DO NOTHING`
  return stored.count > 0
}

/** @returns false when it was so already. */
export const removeMute = async (sql: Queries, userId: number, mutedId: number): Promise<boolean> => {
  const removed = await sql`
    DELETE FROM muted_users WHERE user_id = ${userId} AND muted_user_id = ${mutedId}`
  return removed.count > 0
}

/** What other services keep of these accounts; also of those that chose nothing. */
export const personalFacts = (
  sql: Queries,
  realmId: number,
  userIds: readonly number[],
): Promise<PersonalFact[]> =>
  sql<PersonalFact[]>`
    SELECT users.id, realm_id,
      coalesce(settings, '{}')
        || CASE WHEN timezone = '' THEN '{}' ELSE jsonb_build_object('timezone', timezone) END
        || CASE WHEN email_address_visibility = 1 THEN '{}'
             ELSE jsonb_build_object('email_address_visibility', email_address_visibility) END AS settings,
      to_jsonb(coalesce(alert_words, '{}')) AS alert_words,
      to_jsonb(ARRAY(
        SELECT muted_user_id FROM muted_users WHERE user_id = users.id ORDER BY muted_user_id)) AS muted_user_ids,
      coalesce(personal.version, 0) AS version
    FROM users LEFT JOIN personal ON personal.user_id = users.id
    WHERE users.realm_id = ${realmId} AND users.id = ANY (${[...userIds]}::bigint[])
    ORDER BY users.id`
