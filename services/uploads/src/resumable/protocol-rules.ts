import { createHash, type Hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Sentences in comments are those of the protocol (tus 1.0.0), shortened. */
export const tusVersion = '1.0.0'
const extensions = [
  'creation',
  'creation-with-upload',
  'creation-defer-length',
  'expiration',
  'checksum',
  'termination',
  'concatenation',
]
const checksumAlgorithms = ['sha1', 'sha256', 'sha512', 'md5']

/** The type of a body that is a piece of a file. */
export const pieceType = 'application/offset+octet-stream'

/** A request that the protocol refuses with a status of its own. */
export class TusRefusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

const malformed = (header: string) => new TusRefusal(400, `Invalid ${header} header`)

/** What is offered. `maxSize`: bytes. */
export const offer = (maxSize: number): Record<string, string> => ({
  'tus-version': tusVersion,
  'tus-extension': extensions.join(','),
  'tus-max-size': String(maxSize),
  'tus-checksum-algorithm': checksumAlgorithms.join(','),
})

/** "If the version specified by the Client is not supported by the Server, it MUST respond with 412". */
export const demandVersion = (headers: IncomingHttpHeaders): void => {
  if (headers['tus-resumable'] !== tusVersion) {
    throw new TusRefusal(412, 'This version of the protocol is not supported.', { 'tus-version': tusVersion })
  }
}

/** A number of bytes: "MUST be a non-negative integer". */
const bytesIn = (headers: IncomingHttpHeaders, name: string): number | undefined => {
  const text = headers[name]
  if (text === undefined) return undefined
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) throw malformed(name)
  return Number(text)
}

/** How long the whole will be: null when that is said later, undefined when the request does not say. */
export const sentLength = (headers: IncomingHttpHeaders): number | null | undefined => {
  const length = bytesIn(headers, 'upload-length')
  const deferred = headers['upload-defer-length']
  if (deferred === undefined) return length
  // "The Upload-Defer-Length value MUST be 1."
  if (deferred !== '1' || length !== undefined) throw malformed('upload-defer-length')
  return null
}

export const sentOffset = (headers: IncomingHttpHeaders): number => {
  const offset = bytesIn(headers, 'upload-offset')
  if (offset === undefined) throw malformed('upload-offset')
  return offset
}

/** Characters of Upload-Metadata, which is kept as it was sent. */
const maxMetadata = 8192
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/**
 * "One or more comma-separated key-value pairs. The key and value MUST be separated by a space. The key MUST NOT contain
 * spaces and commas and MUST NOT be empty, SHOULD be ASCII. The value MUST be Base64 encoded. All keys MUST be unique."
 */
export const metadataIn = (header: string | undefined): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  if (header === undefined || header.trim() === '') return found
  if (header.length > maxMetadata) throw malformed('upload-metadata')
  for (const pair of header.split(',')) {
    const [key = '', value = '', ...more] = pair.trim().split(' ')
    if (key === '' || more.length > 0 || found.has(key) || !base64.test(value))
      throw malformed('upload-metadata')
    found.set(key, Buffer.from(value, 'base64').toString())
  }
  return found
}

export type Concat =
  | { readonly kind: 'partial' }
  | { readonly kind: 'final'; readonly ids: readonly string[] }

/** Parts that one file may be put together of. */
const maxPartials = 100

export const concatIn = (header: string | string[] | undefined): Concat | undefined => {
  if (header === undefined) return undefined
  if (header === 'partial') return { kind: 'partial' }
  const match = /^final;(.+)$/.exec(String(header))
  const ids = match?.[1]?.trim().split(/\s+/).map(uploadNamed)
  if (ids === undefined || ids.includes(undefined) || ids.length > maxPartials)
    throw malformed('upload-concat')
  return { kind: 'final', ids: ids as string[] }
}

/** The upload that an address names, whether absolute or not. */
const uploadNamed = (address: string): string | undefined => /\/tus\/([\w-]{1,100})$/.exec(address)?.[1]

export interface Checksum {
  readonly hash: Hash
  readonly expected: Buffer
}

export const checksumIn = (header: string | string[] | undefined): Checksum | undefined => {
  if (header === undefined) return undefined
  const match = /^([\w-]+) (\S+)$/.exec(String(header))
  // "400 Bad Request if the checksum algorithm is not supported by the server".
  if (match === null || !checksumAlgorithms.includes(match[1]!) || !base64.test(match[2]!)) {
    throw malformed('upload-checksum')
  }
  return { hash: createHash(match[1]!), expected: Buffer.from(match[2]!, 'base64') }
}

/** "MUST be used to override the method": what the request is to be taken for. */
export const methodOf = (method: string, headers: IncomingHttpHeaders): string =>
  String(headers['x-http-method-override'] ?? method).toUpperCase()
