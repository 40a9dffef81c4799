/**
 * What travels on a link between the gateway and a service: many requests over one connection, those that wait long and
 * those that are small and many. A frame is its length (4 bytes, of what follows), the number of the request that it is
 * about (4), its kind (1), and what the kind says.
 */
import type { Socket } from 'node:net'

/** What a gateway asks for when it opens a link: `GET` of this path with `Upgrade` to this protocol. */
export const linkPath = '/internal/link'
export const linkProtocol = 'parley-link-1'

export const frameKinds = {
  /** Gateway to service: a request; `LinkedQuestion` as JSON. */
  ask: 1,
  /** Gateway to service: its client is gone. */
  gone: 2,
  /** Service to gateway: status (2 bytes), length of the headers (2), headers as JSON or nothing, body. */
  answer: 3,
  /** Service to gateway: nothing was done, or nothing that may not be done again; ask by a request of its own. */
  elsewhere: 4,
  /** Service to gateway, of no request: no further ones, please; whoever is waiting will be answered. */
  leaving: 5,
} as const

export interface LinkedQuestion {
  /** The endpoint's name in the contract. */
  readonly operation: string
  /** Without the question mark. */
  readonly query: string
  /** The body, percent-encoded; undefined where the endpoint has none. */
  readonly form?: string
  /** The caller's token. */
  readonly caller: string
  readonly request: string
  readonly traceparent?: string
}

export interface Frame {
  readonly number: number
  readonly kind: number
  /** Part of what was received: not to be kept. */
  readonly content: Buffer
}

const lengthSize = 4
const headSize = 5

/** Largest content of a frame; whoever sends more is not one of ours. */
export const maxContent = 1024 * 1024

/** What was received, cut into frames. */
export class FrameReader {
  #rest: Buffer | undefined;

  /** @throws RangeError when the other side does not speak this protocol. */
  *read(piece: Buffer): Generator<Frame> {
    let bytes = this.#rest === undefined ? piece : Buffer.concat([this.#rest, piece])
    this.#rest = undefined
    while (bytes.length >= lengthSize) {
      const length = bytes.readUInt32BE(0)
      if (length < headSize || length > headSize + maxContent) throw new RangeError('not a frame')
      const end = lengthSize + length
      if (bytes.length < end) break
      const content = bytes.subarray(lengthSize + headSize, end)
      yield { number: bytes.readUInt32BE(4), kind: bytes[8]!, content }
      bytes = bytes.subarray(end)
    }
    if (bytes.length > 0) this.#rest = bytes
  }
}

/** Frames of one turn of the event loop leave in one write. */
export class FrameWriter {
  readonly #socket: Socket
  #isCorked = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  write(number: number, kind: number, text = ''): void {
    this.#begin(number, kind, Buffer.byteLength(text))
    if (text !== '') this.#socket.write(text)
  }

  answer(number: number, status: number, headers: string, body: string): void {
    const headersLength = Buffer.byteLength(headers)
    this.#begin(number, frameKinds.answer, 4 + headersLength + Buffer.byteLength(body))
    const head = Buffer.allocUnsafe(4)
    head.writeUInt16BE(status, 0)
    head.writeUInt16BE(headersLength, 2)
    this.#socket.write(head)
    if (headers !== '') this.#socket.write(headers)
    this.#socket.write(body)
  }

  #begin(number: number, kind: number, length: number): void {
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      setImmediate(() => {
        this.#isCorked = false
        this.#socket.uncork()
      })
    }
    const head = Buffer.allocUnsafe(lengthSize + headSize)
    head.writeUInt32BE(headSize + length, 0)
    head.writeUInt32BE(number, 4)
    head[8] = kind
    this.#socket.write(head)
  }
}

export interface LinkedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export const readAnswer = (content: Buffer): LinkedAnswer => {
  const headersEnd = 4 + content.readUInt16BE(2)
  return {
    status: content.readUInt16BE(0),
    headers: headersEnd === 4 ? {} : JSON.parse(content.toString('utf8', 4, headersEnd)),
    body: content.subarray(headersEnd),
  }
}
