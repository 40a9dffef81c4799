import type { IncomingMessage } from 'node:http'
import { refuse } from '@parley/contracts'
import { requestBody, StreamedBody } from '../proxy/request-body.ts'

/** Bytes of a body that the gateway reads itself. */
const largest = 16 * 1024
/** Milliseconds for it to arrive. */
const longest = 60_000

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const bodyParameters = async (request: IncomingMessage): Promise<[string, string][]> => {
  const body = await requestBody(request, { bytes: largest, time: longest })
  if (body instanceof StreamedBody) {
    body.destroy()
    throw refuse('BAD_REQUEST', 'The length of the request is missing.')
  }
  if (body === null || body.length === 0) return []
  const type = request.headers['content-type'] ?? 'application/x-www-form-urlencoded'
  if (/^application\/json\b/i.test(type)) {
    let json: unknown
    try {
      json = JSON.parse(body.toString())
    } catch {
      throw refuse('INVALID_JSON', 'Malformed JSON')
    }
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return []
    return Object.entries(json).map(([name, value]) => [name, textOf(value)])
  }
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) return []
  try {
    const form = await new Response(body, { headers: { 'content-type': type } }).formData()
    return [...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  } catch {
    throw refuse('BAD_REQUEST', 'The request is malformed.')
  }
}

/**
 * All parameters of a small request, body before query, the last of a repeated name. Passed on in this form, so that
 * nobody behind the gateway reads them in another way than it did.
 *
 * @throws ApiError INVALID_JSON, BAD_REQUEST, PAYLOAD_TOO_LARGE.
 */
export const sentForm = async (request: IncomingMessage): Promise<URLSearchParams> => {
  const url = request.url ?? ''
  const query = url.includes('?') ? new URLSearchParams(url.slice(url.indexOf('?') + 1)) : []
  return new URLSearchParams(Object.fromEntries([...query, ...(await bodyParameters(request))]))
}
