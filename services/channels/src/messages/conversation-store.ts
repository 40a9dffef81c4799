import { createHash } from 'node:crypto'
import type { OutboxRow } from '@parley/db'
import type { Queries } from '../room.ts'

/** What tells conversations apart: a group may be larger than an index entry. */
export const participantsHash = (realmId: number, userIds: readonly number[]): Buffer =>
  createHash('sha256')
    .update(`${realmId}:${userIds.join(',')}`)
    .digest()

/** The direct conversation of exactly these people (IDs ascending), if they have one. */
export const findConversation = async (
  sql: Queries,
  realmId: number,
  userIds: readonly number[],
): Promise<number | undefined> => {
  const [known] = await sql<{ recipient_id: number }[]>`
    SELECT recipient_id FROM conversations WHERE participants_hash = ${participantsHash(realmId, userIds)}`
  return known?.recipient_id
}

/** The direct conversation of exactly these people (IDs ascending), made if they have none yet, with its `news`. */
export const conversationOf = async (
  sql: Queries,
  realmId: number,
  userIds: readonly number[],
  news?: OutboxRow,
): Promise<number> => {
  const known = await findConversation(sql, realmId, userIds)
  if (known !== undefined) return known
  const hash = participantsHash(realmId, userIds)
  const [made] = await sql<{ recipient_id: number }[]>`
    WITH made AS (
      INSERT INTO conversations (realm_id, user_ids, participants_hash)
      VALUES (${realmId}, ${[...userIds]}::bigint[], ${hash})
      ON CONFLICT (participants_hash) DO NOTHING
      RETURNING recipient_id, user_ids
    ), joined AS (
      INSERT INTO conversation_participants (user_id, recipient_id)
      SELECT unnest(user_ids), recipient_id FROM made
    )${
      news === undefined
        ? sql``
        : sql`, told AS (
      INSERT INTO outbox (topic, key, value) SELECT ${news.topic}, ${news.key}, ${news.value} FROM made
    )`
    }
    SELECT recipient_id FROM made`
  // Somebody else made it in between.
  return made?.recipient_id ?? (await findConversation(sql, realmId, userIds))!
}
