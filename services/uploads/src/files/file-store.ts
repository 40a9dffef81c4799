import type { Attachment } from '@parley/contracts/objects/attachment'
import type { Queries } from '../room.ts'

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
}

/** Every column of FileRow. */
export const fileColumns = (sql: Queries) => sql`
  id, realm_id, owner_id, path_id, name, content_type, size, floor(extract(epoch FROM created_at))::bigint AS create_time`

export const insertFile = async (
  sql: Queries,
  file: Pick<FileRow, 'realm_id' | 'owner_id' | 'path_id' | 'name' | 'content_type' | 'size'>,
): Promise<FileRow> => {
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
  const [gone] = await sql<FileRow[]>`
    DELETE FROM attachments WHERE id = ${id} AND owner_id = ${ownerId} AND realm_id = ${realmId}
    RETURNING ${fileColumns(sql)}`
  return gone
}

export const fileAt = async (sql: Queries, realmId: number, pathId: string): Promise<FileRow | undefined> => {
  const [file] = await sql<FileRow[]>`
    SELECT ${fileColumns(sql)} FROM attachments WHERE path_id = ${pathId} AND realm_id = ${realmId}`
  return file
}

export const fileById = async (sql: Queries, id: number): Promise<FileRow | undefined> => {
  const [file] = await sql<FileRow[]>`SELECT ${fileColumns(sql)} FROM attachments WHERE id = ${id}`
  return file
}
