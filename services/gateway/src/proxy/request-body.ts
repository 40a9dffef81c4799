import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { refuse } from '@parley/contracts'

/**
 * Bytes of a body that is handed over in one piece once it has arrived: what a socket holds for us anyway. So a
 * slow sender of something small holds no connection to a service, and its request can be tried again.
 */
const smallBody = 16 * 1024

/** Milliseconds between two pieces of a streamed body. */
const stallTimeout = 20_000

/** The client left before its request was complete; there is nobody to answer. */
export class ClientGoneError extends Error {}

export type RequestBody = Buffer | StreamedBody | null

/** The body of a request on its way: counts, and ends with an error when it grows too large or stops coming. */
export class StreamedBody extends Readable {
  readonly #request: IncomingMessage
  readonly #limit: number
  readonly #stall: NodeJS.Timeout
  #received = 0

  constructor(request: IncomingMessage, limit: number) {
    super()
    this.#request = request
    this.#limit = limit
    this.#stall = setTimeout(() => {
      if (request.isPaused()) this.#stall.refresh()
      else this.destroy(refuse('REQUEST_TIMEOUT', 'The request took too long to arrive.'))
    }, stallTimeout)
    request.on('data', this.#onData)
    request.on('end', this.#onEnd)
    request.on('close', this.#onClose)
    request.pause()
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#received += chunk.length
    this.#stall.refresh()
    if (this.#received > this.#limit) this.destroy(tooLarge())
    else if (!this.push(chunk)) this.#request.pause()
  }

  readonly #onEnd = (): void => {
    this.push(null)
  }

  readonly #onClose = (): void => {
    if (!this.#request.complete) this.destroy(new ClientGoneError())
  }

  override _read(): void {
    this.#request.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#stall)
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    done(error)
  }
}

const tooLarge = () => refuse('PAYLOAD_TOO_LARGE', 'The request is too large.')

const whole = (request: IncomingMessage, length: number): Buffer | Promise<Buffer> => {
  if (request.readableLength === length) {
    const body = request.read() as Buffer
    // Lets the connection go on to its next request.
    request.resume()
    return body
  }
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => resolve(Buffer.concat(pieces)))
      .on('close', () => reject(new ClientGoneError()))
  })
}

/** Methods whose parameters are in the query; what else they carry is not looked at. */
const carriesBody = (method: string | undefined): boolean => method !== 'GET' && method !== 'HEAD'

/**
 * The body to pass on, null when there is none; never parsed.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE when it is declared to be longer than `limit` bytes; ClientGoneError.
 */
export const requestBody = (request: IncomingMessage, limit: number): RequestBody | Promise<Buffer> => {
  const declared = request.headers['content-length']
  if (declared === undefined && request.headers['transfer-encoding'] === undefined) return null
  const length = declared === undefined ? undefined : Number(declared)
  if (length === 0) return null
  if (length !== undefined && length > limit) throw tooLarge()
  if (!carriesBody(request.method)) {
    request.resume()
    return null
  }
  return length !== undefined && length <= smallBody
    ? whole(request, length)
    : new StreamedBody(request, limit)
}
