import type { FileRow } from '../files/file-store.ts'
import { fileColumns } from '../files/file-store.ts'
import type { Queries } from '../room.ts'

/**
 * Files by their places (of an organization) or IDs, held until the end of the transaction; in the order of their IDs, so
 * that two do not wait for each other.
 */
export const holdFiles = async (
  sql: Queries,
  realmId: number | null,
  pathIds: readonly string[],
  ids: readonly number[],
): Promise<FileRow[]> => {
  if (pathIds.length + ids.length === 0) return []
  return sql<FileRow[]>`
    SELECT ${fileColumns(sql)} FROM attachments
    WHERE (realm_id = ${realmId} AND path_id = ANY (${[...pathIds]}::text[])) OR id = ANY (${[...ids]}::bigint[])
    ORDER BY id FOR UPDATE`
}

/** Locks that messages share, so that deleting a topic does not take one for each of its messages. */
const lockCount = 256
/** Names our locks among those of this database: any number that nobody else uses. */
const lockClass = 92_610

/** Whoever else changes the claims of these messages waits until the end of the transaction. */
export const holdMessages = async (sql: Queries, messageIds: readonly number[]): Promise<void> => {
  const locks = [...new Set(messageIds.map((id) => id % lockCount))].sort((a, b) => a - b)
  // One after the other, always in this order: two that wait for each other would wait forever.
  for (const lock of locks) await sql`SELECT pg_advisory_xact_lock(${lockClass}, ${lock})`
}

/** Messages that refer to a file, ascending. */
export const messagesOf = async (sql: Queries, fileId: number): Promise<number[]> => {
  const rows = await sql<{ message_id: number }[]>`
    SELECT message_id FROM attachment_messages WHERE attachment_id = ${fileId} ORDER BY message_id`
  return rows.map(({ message_id }) => message_id)
}

/** What refers to files, the latest messages first. */
export const claimsOf = (
  sql: Queries,
  fileIds: readonly number[],
): Promise<{ attachment_id: number; message_id: number }[]> =>
  sql<{ attachment_id: number; message_id: number }[]>`
    SELECT attachment_id, message_id FROM attachment_messages
    WHERE attachment_id = ANY (${[...fileIds]}::bigint[]) ORDER BY message_id DESC`

/** IDs of the files that messages refer to. */
export const filesClaimedBy = async (sql: Queries, messageIds: readonly number[]): Promise<number[]> => {
  const rows = await sql<{ attachment_id: number }[]>`
    SELECT DISTINCT attachment_id FROM attachment_messages WHERE message_id = ANY (${[...messageIds]}::bigint[])`
  return rows.map(({ attachment_id }) => attachment_id)
}

export const claim = async (sql: Queries, fileId: number, messageId: number): Promise<void> => {
  await sql`INSERT INTO attachment_messages (attachment_id, message_id) VALUES (${fileId}, ${messageId})`
  await sql`UPDATE attachments SET unclaimed_since = NULL WHERE id = ${fileId}`
}

/** What no message refers to any more may be given up some time. */
export const unclaimAll = async (
  sql: Queries,
  fileIds: readonly number[],
  messageIds: readonly number[],
): Promise<void> => {
  await sql`
    DELETE FROM attachment_messages
    WHERE attachment_id = ANY (${[...fileIds]}::bigint[]) AND message_id = ANY (${[...messageIds]}::bigint[])`
  await sql`
    UPDATE attachments SET unclaimed_since = now()
    WHERE id = ANY (${[...fileIds]}::bigint[]) AND unclaimed_since IS NULL
      AND NOT EXISTS (SELECT FROM attachment_messages WHERE attachment_id = attachments.id)`
}

export const unclaim = (sql: Queries, fileId: number, messageIds: readonly number[]): Promise<void> =>
  unclaimAll(sql, [fileId], messageIds)
