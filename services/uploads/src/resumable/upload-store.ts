import type { StoredPart } from '@parley/blob'
import type { Queries } from '../room.ts'

/** An upload as stored. */
export interface UploadRow {
  readonly id: string
  readonly realm_id: number
  readonly owner_id: number
  readonly metadata: string | null
  /** As it was sent. */
  readonly concat: string | null
  readonly name: string
  readonly content_type: string
  /** Null for a part of a file. */
  readonly path_id: string | null
  readonly object_key: string
  readonly length: number | null
  readonly bytes: number
  readonly store_upload: string | null
  readonly next_part: number
  readonly tail_key: string | null
  readonly tail_size: number
  readonly is_finished: boolean
  readonly expires_at: Date
}

/** Seconds for which an upload waits for its next request. */
const lifetime = 24 * 3600

const columns = (sql: Queries) => sql`
  id, realm_id, owner_id, metadata, concat, name, content_type, path_id, object_key, length, bytes, store_upload, next_part,
  tail_key, tail_size, finished_at IS NOT NULL AS is_finished, expires_at`

const later = (sql: Queries) => sql`now() + make_interval(secs => ${lifetime})`

export type NewUpload = Pick<
  UploadRow,
  | 'id'
  | 'realm_id'
  | 'owner_id'
  | 'metadata'
  | 'concat'
  | 'name'
  | 'content_type'
  | 'path_id'
  | 'object_key'
  | 'length'
>

export const insertUpload = async (sql: Queries, upload: NewUpload): Promise<UploadRow> => {
  const [made] = await sql<UploadRow[]>`
    INSERT INTO resumable_uploads ${sql({ ...upload })} RETURNING ${columns(sql)}`
  return made!
}

/** @returns undefined when the account has no such upload, or had it too long ago. */
export const uploadOf = async (sql: Queries, ownerId: number, id: string): Promise<UploadRow | undefined> => {
  if (!/^[\w-]{1,100}$/.test(id)) return undefined
  const [found] = await sql<UploadRow[]>`
    SELECT ${columns(sql)} FROM resumable_uploads WHERE id = ${id} AND owner_id = ${ownerId} AND expires_at > now()`
  return found
}

export const unfinishedUploads = async (sql: Queries, ownerId: number): Promise<number> => {
  const [counted] = await sql<{ n: number }[]>`
    SELECT count(*)::int AS n FROM resumable_uploads WHERE owner_id = ${ownerId} AND finished_at IS NULL`
  return counted!.n
}

/**
 * Becomes the one request that may write, unless another one does, and lives. `seconds`: how long that holds without
 * `renewHold`. Whoever did not say any more that it lives may be about to store one more part: its number is left out.
 */
export const takeHold = async (
  sql: Queries,
  id: string,
  holder: string,
  seconds: number,
): Promise<UploadRow | undefined> => {
  const [held] = await sql<UploadRow[]>`
    UPDATE resumable_uploads SET
      holder = ${holder}, held_until = now() + make_interval(secs => ${seconds}), is_wanted = false,
      next_part = next_part + CASE WHEN holder IS NULL THEN 0 ELSE 1 END
    WHERE id = ${id} AND (holder IS NULL OR held_until < now()) RETURNING ${columns(sql)}`
  return held
}

export const wantHold = async (sql: Queries, id: string): Promise<void> => {
  await sql`UPDATE resumable_uploads SET is_wanted = true WHERE id = ${id} AND holder IS NOT NULL`
}

/** Says that the holder lives. @returns whether it may go on: it still holds the upload, and nobody waits for it. */
export const renewHold = async (
  sql: Queries,
  id: string,
  holder: string,
  seconds: number,
): Promise<boolean> => {
  const [row] = await sql<{ is_wanted: boolean }[]>`
    UPDATE resumable_uploads SET held_until = now() + make_interval(secs => ${seconds})
    WHERE id = ${id} AND holder = ${holder} RETURNING is_wanted`
  return row?.is_wanted === false
}

export const dropHold = async (sql: Queries, id: string, holder: string): Promise<void> => {
  await sql`
    UPDATE resumable_uploads SET holder = NULL, is_wanted = false WHERE id = ${id} AND holder = ${holder}`
}

/** What changes while bytes come in. */
export type Progress = Partial<
  Pick<UploadRow, 'length' | 'bytes' | 'store_upload' | 'next_part' | 'tail_key' | 'tail_size'>
>

/** @returns undefined when somebody else holds the upload by now: nothing was changed then. */
export const storeProgress = async (
  sql: Queries,
  id: string,
  holder: string,
  progress: Progress,
): Promise<UploadRow | undefined> => {
  const [row] = await sql<UploadRow[]>`
    UPDATE resumable_uploads SET ${sql(progress as Record<string, never>)}, expires_at = ${later(sql)}
    WHERE id = ${id} AND holder = ${holder} RETURNING ${columns(sql)}`
  return row
}

export const addParts = async (sql: Queries, id: string, parts: readonly StoredPart[]): Promise<void> => {
  await sql`
    INSERT INTO resumable_parts ${sql(parts.map(({ number, etag }) => ({ upload_id: id, number, etag })))}`
}

export const partsOf = (sql: Queries, id: string): Promise<StoredPart[]> =>
  sql<StoredPart[]>`SELECT number, etag FROM resumable_parts WHERE upload_id = ${id} ORDER BY number`

/** @returns whether the holder still held it. */
export const storeFinish = async (
  sql: Queries,
  id: string,
  holder: string,
  bytes: number,
): Promise<boolean> => {
  const done = await sql`
    UPDATE resumable_uploads SET
      finished_at = now(), bytes = ${bytes}, length = ${bytes}, tail_key = NULL, tail_size = 0, expires_at = ${later(sql)}
    WHERE id = ${id} AND holder = ${holder} AND finished_at IS NULL`
  await sql`DELETE FROM resumable_parts WHERE upload_id = ${id}`
  return done.count === 1
}

export const removeUpload = async (sql: Queries, id: string): Promise<UploadRow | undefined> => {
  const [gone] = await sql<UploadRow[]>`
    DELETE FROM resumable_uploads WHERE id = ${id} RETURNING ${columns(sql)}`
  return gone
}

/** Takes out uploads that nobody came back to; what another process takes out is passed over. */
export const removeExpired = (sql: Queries, most: number): Promise<UploadRow[]> =>
  sql<UploadRow[]>`
    DELETE FROM resumable_uploads WHERE id IN (
      SELECT id FROM resumable_uploads
      WHERE expires_at < now() AND (holder IS NULL OR held_until < now())
      ORDER BY expires_at LIMIT ${most} FOR UPDATE SKIP LOCKED
    ) RETURNING ${columns(sql)}`
