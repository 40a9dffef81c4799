/** Full-text search: what is searched for, and what of a text is shown as found. */

import type { Queries } from '../room.ts'
import { contentSegments, joinSegments } from './html-segments.ts'
import type { Condition } from './nearest.ts'

/** A search as Postgres understands it; undefined when it holds nothing but words that are too common to be indexed. */
export interface Search {
  readonly text: string
  readonly hasWords: boolean
}

export const searchFor = async (sql: Queries, text: string): Promise<Search> => {
  const [row] = await sql<{ words: number }[]>`
    SELECT numnode(websearch_to_tsquery('english', ${text})) AS words`
  return { text, hasWords: row!.words > 0 }
}

const query = (sql: Queries, { text }: Search) => sql`websearch_to_tsquery('english', ${text})`

const vector = (sql: Queries) => sql`search_vector(m.realm_id, m.recipient_id, m.topic, m.content)`

/** `%` and `_` are letters like others. */
const likePattern = (text: string): string =>
  `%${text.replaceAll('"', '').replace(/[\\%_]/g, (character) => `\\${character}`)}%`

export const isFound = (sql: Queries, search: Search): Condition =>
  search.hasWords
    ? sql`${vector(sql)} @@ ${query(sql, search)}`
    : sql`(m.content ILIKE ${likePattern(search.text)} OR m.topic ILIKE ${likePattern(search.text)})`

/** The index's way to the messages of one realm, or of one conversation; undefined for searches that it has not. */
export const searchHits = (
  sql: Queries,
  search: Search,
  scope: { realmId: number; recipientId?: number },
): Condition | undefined =>
  search.hasWords
    ? sql`${vector(sql)} @@ (${query(sql, search)} && ${
        scope.recipientId === undefined ? `' r${scope.realmId}'` : `' c${scope.recipientId}'`
      }::tsquery)`
    : undefined

const begin = '\u0002'
const end = '\u0003'
const found = '<span class="highlight">'

/**
 * Marks what a search finds in texts of HTML. Only text between tags is looked at, and only spans are added.
 */
export const highlighted = async (
  sql: Queries,
  searches: readonly Search[],
  htmls: readonly string[],
): Promise<string[]> => {
  if (htmls.length === 0) return []
  const words = searches.filter((search) => search.hasWords).map((search) => search.text)
  const split = htmls.map(contentSegments)
  const marked =
    words.length === 0
      ? split.map(({ text }) => text)
      : (
          await sql<{ marked: string }[]>`
            WITH sought AS (
              SELECT ${words
                .map((text) => sql`websearch_to_tsquery('english', ${text})`)
                .reduce((one, other) => sql`${one} || ${other}`)} AS query)
            SELECT ts_headline('english', t.html, sought.query,
              ${`HighlightAll=true, StartSel=${begin}, StopSel=${end}`}) AS marked
            FROM sought, unnest(${split.map(({ text }) => text)}::text[]) WITH ORDINALITY AS t(html, place)
            ORDER BY t.place`
        ).map((row) => row.marked)
  return marked.map((text, place) =>
    joinSegments(split[place]!, text).replaceAll(begin, found).replaceAll(end, '</span>'),
  )
}

/** Text as HTML. */
export const escapedText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
