import type { FileRow } from '../files/file-store.ts'
import { fileColumns } from '../files/file-store.ts'
import type { Queries } from '../room.ts'

/** Files by their places, held until the end of the transaction; in the order of their IDs, so that two do not wait for each other. */
export const holdFiles = (sql: Queries, realmId: number, pathIds: readonly string[]): Promise<FileRow[]> =>
  sql<FileRow[]>`
    SELECT ${fileColumns(sql)} FROM attachments
    WHERE realm_id = ${realmId} AND path_id = ANY (${[...pathIds]}::text[]) ORDER BY id FOR UPDATE`

/** Messages that refer to a file, ascending. */
export const messagesOf = async (sql: Queries, fileId: number): Promise<number[]> => {
  const rows = await sql<{ message_id: number }[]>`
    SELECT message_id FROM attachment_messages WHERE attachment_id = ${fileId} ORDER BY message_id`
  return rows.map(({ message_id }) => message_id)
}

/** @returns whether that is new. */
export const claim = async (sql: Queries, fileId: number, messageId: number): Promise<boolean> => {
  const made = await sql`
    INSERT INTO attachment_messages (attachment_id, message_id) VALUES (${fileId}, ${messageId})
    ON CONFLICT DO NOTHING`
  if (made.count === 0) return false
  await sql`UPDATE attachments SET unclaimed_since = NULL WHERE id = ${fileId}`
  return true
}
