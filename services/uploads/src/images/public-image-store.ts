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

/** Stores pictures that nothing refers to yet; gives them up when one of them fails. */
export const keepPictures = async (
  { database, store, log }: { database: Database; store: BlobStore; log: Log },
  pictures: readonly NewPicture[],
): Promise<PublicImage[]> => {
  const kept: PublicImage[] = []
  try {
    for (const { path, picture, type } of pictures) {
      const object_key = `images/${randomBytes(18).toString('base64url')}`
      await expectObject(database.sql, object_key)
      kept.push({ path, object_key, content_type: type })
      await store.put(object_key, picture, { contentType: type })
    }
    return kept
  } catch (error) {
    for (const { object_key } of kept) await discardObject({ database, log }, object_key)
    throw error
  }
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
