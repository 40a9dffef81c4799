import type { IncomingMessage } from 'node:http'
import type { ApiError } from '@parley/contracts'
import type { Exchange } from '../exchange.ts'
import { withoutReplaced } from './common-headers.ts'

/** Milliseconds for which the rest of a refused request is read, so that its sender gets to see the answer. */
const lingerTime = 5000

/** What is left of a request's body is taken and thrown away; a sender who does not come to an end is cut off. */
export const letRequestEnd = (request: IncomingMessage): void => {
  if (request.complete) return
  request.resume()
  const { socket } = request
  const timer = setTimeout(() => socket.destroy(), lingerTime)
  request.once('close', () => clearTimeout(timer))
}

/** Answers with text that the gateway made itself; nothing when an answer is under way already. */
export const answerText = (
  exchange: Exchange,
  status: number,
  type: string,
  text: string | Buffer,
  headers: readonly string[] = [],
): number => {
  const { request, response, answerHeaders } = exchange
  if (response.headersSent || response.destroyed) return status
  const length = typeof text === 'string' ? Buffer.byteLength(text) : text.length
  const all = [...withoutReplaced(answerHeaders, (name) => headers.includes(name)), ...headers]
  // A 204 has no content, a 304 speaks of what the client has already (RFC 9110, sections 15.3.5 and 15.4.5).
  const hasContent = status !== 204 && status !== 304
  if (hasContent) all.push('content-type', type, 'content-length', String(length))
  response.writeHead(status, all)
  response.end(request.method === 'HEAD' || !hasContent ? undefined : text)
  letRequestEnd(request)
  return status
}

export const answerJson = (
  exchange: Exchange,
  body: Record<string, unknown>,
  headers?: readonly string[],
): number => answerText(exchange, 200, 'application/json', JSON.stringify(body), headers)

/** Answers with the envelope of a refusal. */
export const answerRefusal = (exchange: Exchange, refusal: ApiError): number =>
  answerText(
    exchange,
    refusal.status,
    'application/json',
    JSON.stringify(refusal.body()),
    Object.entries(refusal.headers).flat(),
  )
