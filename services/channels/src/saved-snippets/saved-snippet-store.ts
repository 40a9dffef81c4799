import type { SavedSnippet } from '@parley/contracts/objects/saved-snippet'
import type { Queries } from '../room.ts'

const columns = (sql: Queries) =>
  sql`id, title, content, floor(extract(epoch FROM created_at))::bigint AS date_created`

/** In the order of their making. */
export const savedSnippetsOf = (sql: Queries, userId: number): Promise<SavedSnippet[]> =>
  sql<SavedSnippet[]>`SELECT ${columns(sql)} FROM saved_snippets WHERE user_id = ${userId} ORDER BY id`

/** @returns undefined when the user has `limit` of them already. */
export const insertSavedSnippet = async (
  sql: Queries,
  userId: number,
  { title, content }: Pick<SavedSnippet, 'title' | 'content'>,
  limit: number,
): Promise<SavedSnippet | undefined> => {
  const [made] = await sql<SavedSnippet[]>`
    INSERT INTO saved_snippets (user_id, title, content)
    SELECT ${userId}, ${title}, ${content}
    WHERE (SELECT count(*) FROM saved_snippets WHERE user_id = ${userId}) < ${limit}
    RETURNING ${columns(sql)}`
  return made
}

/** @returns undefined when the user has no such snippet. */
export const storeSavedSnippet = async (
  sql: Queries,
  userId: number,
  id: number,
  change: { readonly title?: string | undefined; readonly content?: string | undefined },
): Promise<SavedSnippet | undefined> => {
  const [stored] = await sql<SavedSnippet[]>`
    UPDATE saved_snippets SET
      title = coalesce(${change.title ?? null}, title), content = coalesce(${change.content ?? null}, content)
    WHERE id = ${id} AND user_id = ${userId}
    RETURNING ${columns(sql)}`
  return stored
}

/** @returns whether there was one. */
export const removeSavedSnippet = async (sql: Queries, userId: number, id: number): Promise<boolean> =>
  (await sql`DELETE FROM saved_snippets WHERE id = ${id} AND user_id = ${userId}`).count > 0
