import type { Queries } from '../room.ts'

/** Seconds after which an object that nobody took in is deleted: no request lasts as long. */
const graceSeconds = 24 * 3600

/** Writes down that an object is about to be stored, and will be taken in within so many seconds, or not at all. */
export const expectObject = async (sql: Queries, key: string, seconds = graceSeconds): Promise<void> => {
  await sql`
    INSERT INTO loose_objects (key, discard_at) VALUES (${key}, now() + make_interval(secs => ${seconds}))`
}

/** An object belongs to something now; to be called in the transaction that makes it so. */
export const takeInObject = async (sql: Queries, key: string): Promise<void> => {
  await sql`DELETE FROM loose_objects WHERE key = ${key}`
}

/** Nothing refers to these objects any more: the sweeper deletes them. */
export const dropObjects = async (sql: Queries, keys: readonly string[]): Promise<void> => {
  await sql`
    INSERT INTO loose_objects (key, discard_at) SELECT key, now() FROM unnest(${[...keys]}::text[]) AS key
    ON CONFLICT (key) DO UPDATE SET discard_at = excluded.discard_at`
}

/** Keys whose time has come, held until the end of the transaction; what another process holds is passed over. */
export const holdDiscarded = async (sql: Queries, most: number): Promise<string[]> => {
  const rows = await sql<{ key: string }[]>`
    SELECT key FROM loose_objects WHERE discard_at <= now() ORDER BY discard_at LIMIT ${most}
    FOR UPDATE SKIP LOCKED`
  return rows.map(({ key }) => key)
}

export const forgetObjects = async (sql: Queries, keys: readonly string[]): Promise<void> => {
  await sql`DELETE FROM loose_objects WHERE key = ANY (${[...keys]}::text[])`
}
