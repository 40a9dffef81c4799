/** Flags that somebody sets; what is read is kept otherwise (read-store.ts). */
import type { Queries } from '../room.ts'

/**
 * Keeps messages from being deleted until the end of the transaction.
 *
 * @returns those that there still are.
 */
export const heldMessages = async (sql: Queries, ids: readonly number[]): Promise<number[]> => {
  const held = await sql<{ id: number }[]>`
    SELECT id FROM messages WHERE id = ANY (${[...ids]}::bigint[]) ORDER BY id FOR KEY SHARE`
  return held.map((row) => row.id)
}

/** @returns those that did not have the flag. */
export const addFlag = async (
  sql: Queries,
  userId: number,
  ids: readonly number[],
  bit: number,
): Promise<number[]> => {
  const changed = await sql<{ message_id: number }[]>`
    INSERT INTO message_flags (user_id, message_id, flags)
    SELECT ${userId}, id, ${bit} FROM unnest(${[...ids]}::bigint[]) AS id ORDER BY id
    ON CONFLICT (user_id, message_id) DO UPDATE SET flags = message_flags.flags | excluded.flags
    WHERE message_flags.flags & excluded.flags = 0
    RETURNING message_id`
  return changed.map((row) => row.message_id).sort((a, b) => a - b)
}

/** @returns those that had the flag. */
export const removeFlag = async (
  sql: Queries,
  userId: number,
  ids: readonly number[],
  bit: number,
): Promise<number[]> => {
  const changed = await sql<{ message_id: number }[]>`
    UPDATE message_flags SET flags = flags & ~(${bit}::smallint)
    WHERE user_id = ${userId} AND message_id = ANY (${[...ids]}::bigint[]) AND flags & ${bit} <> 0
    RETURNING message_id`
  await sql`
    DELETE FROM message_flags
    WHERE user_id = ${userId} AND message_id = ANY (${[...ids]}::bigint[]) AND flags = 0`
  return changed.map((row) => row.message_id).sort((a, b) => a - b)
}
