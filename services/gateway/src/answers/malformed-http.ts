import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ApiError, refuse } from '@parley/contracts'

/** What node's parser says of a request that never became one. */
interface ParserError extends Error {
  code?: string
  /** The bytes that were being read. */
  rawPacket?: Buffer
}

/** Longest request target, in characters; node's parser counts it with the headers. */
export const maxUrlLength = 32 * 1024

/** Whether it was the request line that made the head of a request too long: its start or its end tells. */
const isLongRequestLine = (packet: Buffer | undefined): boolean => {
  if (packet === undefined) return false
  const end = packet.indexOf('\r\n')
  if (/^[A-Z]+ \//.test(packet.toString('latin1', 0, 20))) return end === -1 || end > maxUrlLength
  return end !== -1 && / HTTP\/1\.\d$/.test(packet.toString('latin1', Math.max(0, end - 9), end))
}

const refusalOf = (error: ParserError): ApiError => {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return isLongRequestLine(error.rawPacket)
        ? refuse('URI_TOO_LONG', 'The address is too long.')
        : refuse('HEADERS_TOO_LARGE', 'The headers are too large.')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refuse('PAYLOAD_TOO_LARGE', 'The request is too large.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('REQUEST_TIMEOUT', 'The request took too long to arrive.')
    default:
      return refuse('BAD_REQUEST', 'The request is not well-formed HTTP.')
  }
}

/** Writes a refusal on a connection whose requests can no longer be read, and closes it. */
export const refuseConnection = (socket: Duplex, refusal: ApiError, headers: readonly string[]): void => {
  const body = JSON.stringify(refusal.body())
  const lines = [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`]
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
  lines.push(
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  )
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * Answers what node's HTTP parser refused. `current` is the answer under way on this connection, if any: once it
 * has begun, nothing else can be said.
 */
export const onMalformedHttp = (
  error: ParserError,
  socket: Duplex,
  current: ServerResponse | undefined,
  headers: readonly string[],
): void => {
  const answerHasBegun = current?.headersSent === true && !current.writableFinished
  if (error.code === 'ECONNRESET' || !socket.writable || answerHasBegun) {
    socket.destroy()
    return
  }
  refuseConnection(socket, refusalOf(error), headers)
}
