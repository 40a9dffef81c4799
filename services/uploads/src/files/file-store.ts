import type { Attachment } from '@parley/contracts/objects/attachment'
import type { Queries } from '../room.ts'
import { dropThumbnails } from '../thumbnails/thumbnail-store.ts'

/** A file as stored. */
export interface FileRow {
  readonly id: number
  readonly realm_id: number
  readonly owner_id: number
  readonly path_id: string
  readonly name: string
  readonly content_type: string
  /** Bytes. */
  readonly size: number
  /** UNIX seconds. */
  readonly create_time: number
  /** Of a picture: pixels, and how many frames; null for what is none, or was not looked at. */
  readonly width: number | null
  readonly height: number | null
  readonly frames: number | null
}

/** Every column of FileRow. */
export const fileColumns = (sql: Queries) => sql`
  id, realm_id, owner_id, path_id, name, content_type, size, width, height, frames,
  floor(extract(epoch FROM created_at))::bigint AS create_time`

export type NewFile = Omit<FileRow, 'id' | 'create_time'>

export const insertFile = async (sql: Queries, file: NewFile): Promise<FileRow> => {
  const [made] = await sql<FileRow[]>`INSERT INTO attachments ${sql(file)} RETURNING ${fileColumns(sql)}`
  return made!
}

/** The uploader's files as they are shown, latest first; `pathIds`: only these. */
export const attachmentsOf = (
  sql: Queries,
  realmId: number,
  ownerId: number,
  pathIds?: readonly string[],
): Promise<Attachment[]> =>
  sql<Attachment[]>`
    SELECT id, name, path_id, size, floor(extract(epoch FROM created_at))::bigint AS create_time,
      ARRAY(
        SELECT message_id FROM attachment_messages WHERE attachment_id = attachments.id ORDER BY message_id
      ) AS message_ids
    FROM attachments WHERE owner_id = ${ownerId} AND realm_id = ${realmId}
      ${pathIds === undefined ? sql`` : sql`AND path_id = ANY (${[...pathIds]}::text[])`}
    ORDER BY id DESC`

/** @returns the file that was deleted; undefined when the uploader has none with this ID. */
export const deleteFile = async (
  sql: Queries,
  realmId: number,
  ownerId: number,
  id: number,
): Promise<FileRow | undefined> => {
  const held = await sql`
    SELECT FROM attachments WHERE id = ${id} AND owner_id = ${ownerId} AND realm_id = ${realmId} FOR UPDATE`
  if (held.count === 0) return undefined
  await dropThumbnails(sql, [id])
  const [gone] = await sql<FileRow[]>`
    DELETE FROM attachments WHERE id = ${id} AND owner_id = ${ownerId} AND realm_id = ${realmId}
    RETURNING ${fileColumns(sql)}`
  return gone
}

/** A NUL is in no place, and Postgres takes none. */
const isPlace = (pathId: string): boolean => !pathId.includes('\0')

export const fileAt = async (sql: Queries, realmId: number, pathId: string): Promise<FileRow | undefined> => {
  if (!isPlace(pathId)) return undefined
  const [file] = await sql<FileRow[]>`
    SELECT ${fileColumns(sql)} FROM attachments WHERE path_id = ${pathId} AND realm_id = ${realmId}`
  return file
}

/** Those of some places where files are. */
export const filesAt = async (
  sql: Queries,
  realmId: number,
  pathIds: readonly string[],
): Promise<FileRow[]> => {
  const places = pathIds.filter(isPlace)
  if (places.length === 0) return []
  return sql<FileRow[]>`
    SELECT ${fileColumns(sql)} FROM attachments
    WHERE realm_id = ${realmId} AND path_id = ANY (${places}::text[]) ORDER BY id`
}

export const fileById = async (sql: Queries, id: number): Promise<FileRow | undefined> => {
  const [file] = await sql<FileRow[]>`SELECT ${fileColumns(sql)} FROM attachments WHERE id = ${id}`
  return file
}
