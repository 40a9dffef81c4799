import type { RealmEmoji } from '@parley/contracts/objects/realm-emoji'
import type { Queries } from '../room.ts'

export interface EmojiRow {
  readonly id: number
  readonly realm_id: number
  readonly name: string
  readonly author_id: number
  readonly file: string
  readonly still_file: string | null
  readonly deactivated: boolean
}

const columns = (sql: Queries) => sql`id, realm_id, name, author_id, file, still_file, deactivated`

/** Below `/user_avatars/`. */
export const emojiPath = (realmId: number, file: string): string => `${realmId}/emoji/images/${file}`

const shown = ({ id, realm_id, name, author_id, file, still_file, deactivated }: EmojiRow): RealmEmoji => ({
  id: String(id),
  name,
  source_url: `/user_avatars/${emojiPath(realm_id, file)}`,
  still_url: still_file === null ? null : `/user_avatars/${emojiPath(realm_id, still_file)}`,
  deactivated,
  author_id,
})

/** All of an organization, deactivated ones included, oldest first. */
export const emojiOfRealm = async (sql: Queries, realmId: number): Promise<RealmEmoji[]> => {
  const rows = await sql<EmojiRow[]>`
    SELECT ${columns(sql)} FROM realm_emoji WHERE realm_id = ${realmId} ORDER BY id`
  return rows.map(shown)
}

/**
 * Until the end of the transaction nobody else tells what emoji there are: all are told at once, so the last that is told
 * has to hold every change before it.
 */
export const lockEmoji = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock((509015::bigint << 32) + ${realmId})`
}

export const byId = (emoji: readonly RealmEmoji[]): Record<string, RealmEmoji> =>
  Object.fromEntries(emoji.map((one) => [one.id, one]))

/** @returns undefined when an active emoji has the name. */
export const insertEmoji = async (
  sql: Queries,
  emoji: Omit<EmojiRow, 'id' | 'deactivated'>,
): Promise<RealmEmoji | undefined> => {
  const [made] = await sql<EmojiRow[]>`
    INSERT INTO realm_emoji ${sql(emoji)} ON CONFLICT DO NOTHING RETURNING ${columns(sql)}`
  return made === undefined ? undefined : shown(made)
}

/** The active emoji of a name, held until the end of the transaction. */
export const holdActiveEmoji = async (
  sql: Queries,
  realmId: number,
  name: string,
): Promise<{ id: number; author_id: number } | undefined> => {
  const [found] = await sql<EmojiRow[]>`
    SELECT ${columns(sql)} FROM realm_emoji
    WHERE realm_id = ${realmId} AND name = ${name} AND NOT deactivated FOR UPDATE`
  return found
}

export const storeDeactivation = async (sql: Queries, id: number): Promise<RealmEmoji> => {
  const [emoji] = await sql<EmojiRow[]>`
    UPDATE realm_emoji SET deactivated = true WHERE id = ${id} RETURNING ${columns(sql)}`
  return shown(emoji!)
}
