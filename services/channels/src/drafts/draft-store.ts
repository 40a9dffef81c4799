import type { Draft } from '@parley/contracts/objects/draft'
import type { Queries } from '../room.ts'

export type DraftContent = Omit<Draft, 'id'>

const columns = (sql: Queries) => sql`id, type, recipients AS to, topic, content, edited_at AS timestamp`

/** Newest edit first. */
export const draftsOf = (sql: Queries, userId: number, limit?: number): Promise<Draft[]> =>
  sql<Draft[]>`
    SELECT ${columns(sql)} FROM drafts WHERE user_id = ${userId}
    ORDER BY edited_at DESC, id DESC LIMIT ${limit ?? null}`

export const countDrafts = async (sql: Queries, userId: number): Promise<number> => {
  const [row] = await sql<[{ count: number }]>`
    SELECT count(*)::int AS count FROM drafts WHERE user_id = ${userId}`
  return row.count
}

/** @returns them with their IDs, in the order given. */
export const insertDrafts = async (
  sql: Queries,
  userId: number,
  drafts: readonly DraftContent[],
): Promise<Draft[]> => {
  const made = await sql<Draft[]>`
    INSERT INTO drafts (user_id, type, recipients, topic, content, edited_at)
    SELECT ${userId}, d.type, d."to", d.topic, d.content, d.timestamp
    FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(drafts)}::text::jsonb)
      AS (type text, "to" bigint[], topic text, content text, timestamp bigint)) WITH ORDINALITY
      AS d(type, "to", topic, content, timestamp, place)
    ORDER BY d.place
    RETURNING ${columns(sql)}`
  return [...made].sort((a, b) => a.id - b.id)
}

export const hasDraft = async (sql: Queries, userId: number, id: number): Promise<boolean> =>
  (await sql`SELECT FROM drafts WHERE id = ${id} AND user_id = ${userId}`).count > 0

/** @returns undefined when the user has no such draft. */
export const storeDraft = async (
  sql: Queries,
  userId: number,
  id: number,
  draft: DraftContent,
): Promise<Draft | undefined> => {
  const [stored] = await sql<Draft[]>`
    UPDATE drafts SET type = ${draft.type}, recipients = ${[...draft.to]}::bigint[], topic = ${draft.topic},
      content = ${draft.content}, edited_at = ${draft.timestamp}
    WHERE id = ${id} AND user_id = ${userId}
    RETURNING ${columns(sql)}`
  return stored
}

/** @returns whether there was one. */
export const removeDraft = async (sql: Queries, userId: number, id: number): Promise<boolean> =>
  (await sql`DELETE FROM drafts WHERE id = ${id} AND user_id = ${userId}`).count > 0

export const deleteDraftsOf = async (sql: Queries, userId: number): Promise<void> => {
  await sql`DELETE FROM drafts WHERE user_id = ${userId}`
}
