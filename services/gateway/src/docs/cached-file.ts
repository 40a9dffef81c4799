import { createHash } from 'node:crypto'
import { OwnStreamedReply } from '../own-endpoint.ts'

/** A file that is the same for everybody until the next release, so that shared caches may keep it. */
export const cachedFile = (type: string, body: Buffer) => {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  const headers = ['etag', etag, 'cache-control', 'public, max-age=86400']
  const isKnown = (sent: string | undefined): boolean =>
    sent?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag || one.trim() === '*') ?? false
  return (ifNoneMatch: string | undefined) => ({
    reply: isKnown(ifNoneMatch) ? new OwnStreamedReply(304, type, '') : new OwnStreamedReply(200, type, body),
    headers,
  })
}
