import { randomBytes } from 'node:crypto'
import type { BlobStore } from '@parley/blob'
import type { Database } from '@parley/db'
import { discardObject } from '../objects/keep-object.ts'
import { dropObjects, expectObject, takeInObject } from '../objects/loose-store.ts'
import type { Log, Queries } from '../room.ts'

export interface PublicImage {
  /** Below `/user_avatars/`. */
  readonly path: string
  readonly object_key: string
  readonly content_type: string
}

export interface NewPicture {
  readonly path: string
  readonly picture: Buffer
  readonly type: string
}

interface Parts {
  readonly database: Database
  readonly store: BlobStore
  readonly log: Log
}

/** Pictures are small: they are taken in at once. */
const pictureSeconds = 600

/** Stores pictures that nothing refers to yet; gives them up when one of them fails. @returns the keys of their objects. */
export const storePictures = async (
  { database, store, log }: Parts,
  pictures: readonly Omit<NewPicture, 'path'>[],
): Promise<string[]> => {
  const stored: string[] = []
  try {
    for (const { picture, type } of pictures) {
      const key = `images/${randomBytes(18).toString('base64url')}`
      await expectObject(database.sql, key, pictureSeconds)
      stored.push(key)
      await store.put(key, picture, { contentType: type })
    }
    return stored
  } catch (error) {
    for (const key of stored) await discardObject({ database, log }, key)
    throw error
  }
}

/** The same for pictures that are to be shown at these paths. */
export const keepPictures = async (parts: Parts, pictures: readonly NewPicture[]): Promise<PublicImage[]> => {
  const keys = await storePictures(parts, pictures)
  return pictures.map(({ path, type }, place) => ({ path, object_key: keys[place]!, content_type: type }))
}

/** Shows pictures at their paths, instead of what was there. */
export const showPictures = async (sql: Queries, pictures: readonly PublicImage[]): Promise<void> => {
  await hidePictures(
    sql,
    pictures.map(({ path }) => path),
  )
  for (const picture of pictures) {
    await takeInObject(sql, picture.object_key)
    await sql`INSERT INTO public_images ${sql(picture)}`
  }
}

/** Whether these pictures belong where they are is to be found out later. */
export const doubtPictures = async (sql: Queries, paths: readonly string[]): Promise<void> => {
  await sql`UPDATE public_images SET doubted_since = now() WHERE path = ANY (${[...paths]}::text[])`
}

export const trustPictures = async (sql: Queries, paths: readonly string[]): Promise<void> => {
  await sql`UPDATE public_images SET doubted_since = NULL WHERE path = ANY (${[...paths]}::text[])`
}

/** Paths of pictures that have been doubted for so many seconds; what another process holds is passed over. */
export const holdDoubted = async (sql: Queries, seconds: number, most: number): Promise<string[]> => {
  const rows = await sql<{ path: string }[]>`
    SELECT path FROM public_images WHERE doubted_since <= now() - make_interval(secs => ${seconds})
    ORDER BY doubted_since LIMIT ${most} FOR UPDATE SKIP LOCKED`
  return rows.map(({ path }) => path)
}

export const hidePictures = async (sql: Queries, paths: readonly string[]): Promise<void> => {
  const gone = await sql<{ object_key: string }[]>`
    DELETE FROM public_images WHERE path = ANY (${[...paths]}::text[]) RETURNING object_key`
  await dropObjects(
    sql,
    gone.map(({ object_key }) => object_key),
  )
}

export const pictureAt = async (sql: Queries, path: string): Promise<PublicImage | undefined> => {
  const [picture] = await sql<PublicImage[]>`
    SELECT path, object_key, content_type FROM public_images WHERE path = ${path}`
  return picture
}
