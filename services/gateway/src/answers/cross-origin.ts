import type { Exchange } from '../exchange.ts'

/** What scripts of other sites may read besides a body: budgets, correlation, and the protocol of resumable uploads. */
const exposed = [
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'traceparent',
  'Location',
  'Tus-Resumable',
  'Tus-Version',
  'Tus-Extension',
  'Tus-Max-Size',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Expires',
  'Upload-Concat',
  'Upload-Defer-Length',
  'Tus-Checksum-Algorithm',
  'Content-Location',
].join(', ')

const requestHeaders = [
  'Authorization',
  'Content-Type',
  'X-Request-Id',
  'traceparent',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Offset',
  'Upload-Metadata',
  'Upload-Defer-Length',
  'Upload-Concat',
  'Upload-Checksum',
  'X-HTTP-Method-Override',
].join(', ')

/** Seconds for which a browser remembers what it may send. */
const maxAge = '7200'

/**
 * Lets scripts of the listed origins read the answer. Never with cookies: who calls from another site brings its
 * own API key.
 */
export const allowOrigin = (origins: ReadonlySet<string>, { request, answerHeaders }: Exchange): boolean => {
  const { origin } = request.headers
  if (origin === undefined || origins.size === 0) return false
  answerHeaders.push('vary', 'Origin')
  if (!origins.has(origin)) return false
  answerHeaders.push('access-control-allow-origin', origin, 'access-control-expose-headers', exposed)
  return true
}

/** A browser asking whether it may send a request; undefined when this is no such question. */
export const preflightHeaders = ({ request }: Exchange): readonly string[] | undefined =>
  request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    ? [
        'access-control-allow-methods',
        'GET, POST, PUT, PATCH, DELETE, HEAD',
        'access-control-allow-headers',
        requestHeaders,
        'access-control-max-age',
        maxAge,
      ]
    : undefined
