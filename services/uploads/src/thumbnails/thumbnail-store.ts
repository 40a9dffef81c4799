import { dropObjects } from '../objects/loose-store.ts'
import type { Queries } from '../room.ts'

/** @returns undefined when it was never made, null when it cannot be. */
export const thumbnailOf = async (
  sql: Queries,
  fileId: number,
  format: string,
): Promise<string | null | undefined> => {
  const [found] = await sql<{ object_key: string | null }[]>`
    SELECT object_key FROM thumbnails WHERE attachment_id = ${fileId} AND format = ${format}`
  return found?.object_key
}

/** @returns whether it is new, and the file still there. */
export const insertThumbnail = async (
  sql: Queries,
  fileId: number,
  format: string,
  objectKey: string | null,
): Promise<boolean> => {
  const made = await sql`
    INSERT INTO thumbnails (attachment_id, format, object_key)
    SELECT id, ${format}, ${objectKey} FROM attachments WHERE id = ${fileId} FOR KEY SHARE
    ON CONFLICT DO NOTHING`
  return made.count === 1
}

/** The small forms of files that are about to be deleted. */
export const dropThumbnails = async (sql: Queries, fileIds: readonly number[]): Promise<void> => {
  const gone = await sql<{ object_key: string }[]>`
    DELETE FROM thumbnails WHERE attachment_id = ANY (${[...fileIds]}::bigint[]) RETURNING object_key`
  const keys = gone.map(({ object_key }) => object_key).filter((key) => key !== null)
  if (keys.length > 0) await dropObjects(sql, keys)
}
