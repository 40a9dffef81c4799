import type { BlobStore } from '@parley/blob'
import { refuse } from '@parley/contracts'
import { type RequestFacts, StreamedReply } from '@parley/kit'
import type { FileRow } from '../files/file-store.ts'
import { filePrefix, objectKey } from '../files/name-rules.ts'
import { safeContentHeaders } from './content-headers.ts'
import { namesTag, readRange } from './range-rules.ts'

/** What stands at a place never changes; who may have it does, so nobody but the reader's own browser keeps it. */
export const caching = 'private, immutable, max-age=31536000'

export const fileNotFound = () => refuse('RESOURCE_NOT_FOUND', 'File not found.')

/**
 * Answers with a file, or the part of it that was asked for.
 *
 * @throws ApiError RESOURCE_NOT_FOUND when its bytes are gone; EngineUnavailableError.
 */
export const fileReply = async (
  store: BlobStore,
  file: FileRow,
  { method, headers }: Pick<RequestFacts, 'method' | 'headers'>,
): Promise<StreamedReply> => {
  const etag = `"${filePrefix(file.path_id).split('/').at(-1)}"`
  const common = {
    etag,
    'cache-control': caching,
    'accept-ranges': 'bytes',
    ...safeContentHeaders(file.content_type, file.name),
  }
  if (namesTag(headers['if-none-match'], etag)) return new StreamedReply(304, common, null)
  const condition = headers['if-range']
  const range =
    condition === undefined || condition === etag ? readRange(headers.range, file.size) : undefined
  if (range === 'unsatisfiable') {
    const body = Buffer.from(JSON.stringify(refuse('BAD_REQUEST', 'There are no such bytes.').body()))
    const about = { 'content-type': 'application/json', 'content-range': `bytes */${file.size}` }
    return new StreamedReply(416, about, body)
  }
  const { offset, length } = range ?? { offset: 0, length: file.size }
  const status = range === undefined ? 200 : 206
  const sized = {
    ...common,
    'content-length': String(length),
    ...(range === undefined
      ? {}
      : { 'content-range': `bytes ${offset}-${offset + length - 1}/${file.size}` }),
  }
  if (method === 'HEAD') return new StreamedReply(status, sized, null)
  if (length === 0) return new StreamedReply(status, sized, Buffer.alloc(0))
  const content = await store.get(objectKey(file.path_id), range)
  if (content === undefined) throw fileNotFound()
  return new StreamedReply(status, sized, content)
}
