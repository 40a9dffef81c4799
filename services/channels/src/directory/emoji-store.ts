import type { EmojiFact } from '@parley/contracts/uploads/topics'
import type { Queries } from '../room.ts'

/** Keeps a state; a deactivated emoji never comes back. */
export const saveEmoji = async (sql: Queries, emoji: EmojiFact): Promise<void> => {
  await sql`
    INSERT INTO realm_emoji (id, realm_id, name, source_url, still_url, deactivated)
    VALUES (${emoji.id}, ${emoji.realm_id}, ${emoji.name}, ${emoji.source_url}, ${emoji.still_url},
      ${emoji.deactivated})
    ON CONFLICT (id) DO UPDATE SET
      name = excluded.name, source_url = excluded.source_url, still_url = excluded.still_url,
      deactivated = excluded.deactivated
    WHERE NOT realm_emoji.deactivated`
}

/** Deactivated ones among them. */
export const emojiOfRealm = (sql: Queries, realmId: number): Promise<EmojiFact[]> =>
  sql<EmojiFact[]>`
    SELECT id, realm_id, name, source_url, still_url, deactivated, NULL::bigint AS author_id
    FROM realm_emoji WHERE realm_id = ${realmId}`
