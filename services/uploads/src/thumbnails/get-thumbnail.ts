import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ApiError } from '@parley/contracts'
import type { ThumbnailFormat } from '@parley/contracts/objects/thumbnail-format'
import { getThumbnail as contract } from '@parley/contracts/uploads/thumbnails'
import { StreamedReply } from '@parley/kit'
import type { FileRow } from '../files/file-store.ts'
import { objectKey } from '../files/name-rules.ts'
import { discardObject } from '../objects/keep-object.ts'
import { expectObject, takeInObject } from '../objects/loose-store.ts'
import { type Deps, endpoint } from '../room.ts'
import { safeContentHeaders } from '../serving/content-headers.ts'
import { fileFor } from '../serving/file-for.ts'
import { caching, fileNotFound } from '../serving/file-reply.ts'
import { namesTag } from '../serving/range-rules.ts'
import { thumbnailAt } from './thumbnail-rules.ts'
import { insertThumbnail, thumbnailOf } from './thumbnail-store.ts'

/** @returns null for what is no picture, whatever it says. */
const draw = async (deps: Deps, file: FileRow, format: ThumbnailFormat): Promise<Buffer | null> => {
  const stream = await deps.store.get(objectKey(file.path_id))
  if (stream === undefined) throw fileNotFound()
  const { max_width: width, max_height: height, animated } = format
  try {
    const wish = { width, height, fit: 'inside', format: 'webp', animated } as const
    return (await deps.workshop.draw(await buffer(stream), [wish])).pictures[0]!
  } catch (error) {
    if (error instanceof ApiError && error.error === 'BAD_IMAGE') return null
    throw error
  }
}

/** Makes it, and keeps it for the next reader; who comes second at the same time throws away what is there already. */
const make = async (deps: Deps, file: FileRow, format: ThumbnailFormat): Promise<Buffer | null> => {
  const picture = await draw(deps, file, format)
  const { sql } = deps.database
  if (picture === null) {
    await insertThumbnail(sql, file.id, format.name, null)
    return null
  }
  const key = `thumbnails/${randomBytes(18).toString('base64url')}`
  await expectObject(sql, key)
  await deps.store.put(key, picture, { contentType: 'image/webp' })
  const isNew = await deps.database.transaction(async (tx) => {
    if (!(await insertThumbnail(tx.sql, file.id, format.name, key))) return false
    await takeInObject(tx.sql, key)
    return true
  })
  if (!isNew) await discardObject(deps, key)
  return picture
}

const stored = async (deps: Deps, key: string): Promise<Buffer | null> => {
  const stream = await deps.store.get(key)
  return stream === undefined ? null : buffer(stream)
}

export const getThumbnail = endpoint(contract, async ({ caller, params, deps, request }) => {
  const named = thumbnailAt(params.path)
  const file = await fileFor(deps, caller, params.realm_id, named?.path ?? '')
  // Only what was found to be a picture when it came is drawn.
  if (named === undefined || file.frames === null) throw fileNotFound()
  const { format } = named
  const etag = `"${file.path_id.split('/').at(2)}-${format.name}"`
  const headers = { ...safeContentHeaders('image/webp', `${file.name}.webp`), 'cache-control': caching, etag }
  if (namesTag(request.headers['if-none-match'], etag)) return new StreamedReply(304, headers, null)
  const key = await thumbnailOf(deps.database.sql, file.id, format.name)
  const picture =
    key === null ? null : key === undefined ? await make(deps, file, format) : await stored(deps, key)
  if (picture === null) throw fileNotFound()
  const sized = { ...headers, 'content-length': String(picture.length) }
  return new StreamedReply(200, sized, request.method === 'HEAD' ? null : picture)
})
