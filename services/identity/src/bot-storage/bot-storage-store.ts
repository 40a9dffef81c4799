import { limits } from '@parley/contracts'
import type { Queries } from '../room.ts'

/** What a bot stored, or what of it is under `keys`. */
export const storedEntries = async (
  sql: Queries,
  botId: number,
  keys?: readonly string[],
): Promise<Record<string, string>> => {
  const rows = await sql<{ key: string; value: string }[]>`
    SELECT key, value FROM bot_storage
    WHERE bot_id = ${botId} ${keys === undefined ? sql`` : sql`AND key = ANY (${[...keys]}::text[])`}
    ORDER BY key`
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

/** One at a time changes what a bot stored, so that its bound holds. */
export const lockStorage = async (sql: Queries, botId: number): Promise<void> => {
  await sql`SELECT FROM bots WHERE user_id = ${botId} FOR UPDATE`
}

/** @returns by how many characters of keys and values together the bot goes beyond its bound; 0 when it stays within. */
export const storeEntries = async (
  sql: Queries,
  botId: number,
  storage: Readonly<Record<string, string>>,
): Promise<number> => {
  await sql`
    INSERT INTO bot_storage (bot_id, key, value)
    SELECT ${botId}, entry.key, entry.value
    FROM unnest(${Object.keys(storage)}::text[], ${Object.values(storage)}::text[]) AS entry(key, value)
    ON CONFLICT (bot_id, key) DO UPDATE SET value = excluded.value`
  const [sum] = await sql<{ characters: number }[]>`
    SELECT coalesce(sum(length(key) + length(value)), 0)::bigint AS characters
    FROM bot_storage WHERE bot_id = ${botId}`
  return Math.max(0, sum!.characters - limits.maxBotStorageCharacters)
}

/** @returns how many there were to remove. */
export const removeEntries = async (
  sql: Queries,
  botId: number,
  keys?: readonly string[],
): Promise<number> => {
  const removed = await sql`
    DELETE FROM bot_storage
    WHERE bot_id = ${botId} ${keys === undefined ? sql`` : sql`AND key = ANY (${[...keys]}::text[])`}`
  return removed.count
}
