import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { refuse } from '@parley/contracts'

/**
 * Bytes of a body that is handed over in one piece once it has arrived: what a socket holds for us anyway. So a
 * slow sender of something small holds no connection to a service, and its request can be tried again.
 */
const smallBody = 16 * 1024

/** Whether a body of this declared length is handed over in one piece. */
export const isSmall = (contentLength: string | undefined): boolean => Number(contentLength) <= smallBody

/** Milliseconds between two pieces of a streamed body. */
const stallTimeout = 20_000

/** The client left before its request was complete; there is nobody to answer. */
export class ClientGoneError extends Error {}

/** How much may come, and within how many milliseconds (undefined: as long as it keeps coming). */
export interface BodyLimit {
  readonly bytes: number
  readonly time: number | undefined
}

export type RequestBody = Buffer | StreamedBody | null

/** The body of a request on its way: counts, and ends with an error when it grows too large or stops coming. */
export class StreamedBody extends Readable {
  readonly #request: IncomingMessage
  readonly #limit: number
  readonly #stall: NodeJS.Timeout
  readonly #deadline: NodeJS.Timeout | undefined
  #received = 0

  constructor(request: IncomingMessage, { bytes, time }: BodyLimit) {
    super()
    this.#request = request
    this.#limit = bytes
    if (time !== undefined) this.#deadline = setTimeout(() => this.destroy(tooSlow()), time)
    this.#stall = setTimeout(() => {
      if (request.isPaused()) this.#stall.refresh()
      else this.destroy(tooSlow())
    }, stallTimeout)
    request.on('data', this.#onData)
    request.on('end', this.#onEnd)
    request.on('close', this.#onClose)
    request.pause()
    // Who sends it on has listeners of their own. Before that, and when nobody takes it (any more), nobody listens, and a
    // client that leaves or stalls then must not end the process.
    this.on('error', () => {})
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
    clearTimeout(this.#deadline)
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    done(error)
  }
}

const tooSlow = () => refuse('REQUEST_TIMEOUT', 'The request took too long to arrive.')
const tooLarge = () => refuse('PAYLOAD_TOO_LARGE', 'The request is too large.')

const whole = (
  request: IncomingMessage,
  length: number,
  time: number | undefined,
): Buffer | Promise<Buffer> => {
  if (request.readableLength === length) {
    const body = request.read() as Buffer
    // Lets the connection go on to its next request.
    request.resume()
    return body
  }
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    const deadline = setTimeout(() => reject(tooSlow()), time ?? stallTimeout)
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => resolve(Buffer.concat(pieces)))
      .on('close', () => {
        clearTimeout(deadline)
        reject(new ClientGoneError())
      })
  })
}

/** Methods whose parameters are in the query; what else they carry is not looked at. */
const carriesBody = (method: string | undefined): boolean => method !== 'GET' && method !== 'HEAD'

/**
 * The body to pass on, null when there is none; never parsed.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE when it is declared to be longer than the limit, REQUEST_TIMEOUT; ClientGoneError.
 */
export const requestBody = (request: IncomingMessage, limit: BodyLimit): RequestBody | Promise<Buffer> => {
  const declared = request.headers['content-length']
  if (declared === undefined && request.headers['transfer-encoding'] === undefined) return null
  const length = declared === undefined ? undefined : Number(declared)
  if (length === 0) return null
  if (length !== undefined && length > limit.bytes) throw tooLarge()
  if (!carriesBody(request.method)) {
    request.resume()
    return null
  }
  return length !== undefined && length <= smallBody
    ? whole(request, length, limit.time)
    : new StreamedBody(request, limit)
}
