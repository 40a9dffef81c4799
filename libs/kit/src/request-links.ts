import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { type AnyEndpoint, ApiError } from '@parley/contracts'
import type { Logger } from 'pino'
import { callerHeader, type TokenVerifier, type VerifiedToken } from './caller-token.ts'
import type { Outcome } from './endpoint-call.ts'
import { refusalFor } from './error-answer.ts'
import {
  type Frame,
  FrameReader,
  FrameWriter,
  frameKinds,
  type LinkedQuestion,
  linkPath,
  linkProtocol,
} from './link-frames.ts'
import { linkedParameters } from './request-parameters.ts'
import type { RequestFacts } from './room.ts'

/** Characters of an answer that goes over a link; a larger one would hold up everybody else's. */
const largestAnswer = 256 * 1024
/** Milliseconds for which a link is kept that has nothing to say any more, for its gateway to close it. */
const farewellTime = 2000

/** What a request on a link is answered with: an endpoint, and how it is called. */
export interface LinkedEndpoint {
  readonly endpoint: AnyEndpoint
  /** Who calls, and may; throws ApiError. */
  readonly admit: (token: VerifiedToken) => Caller
  readonly call: (call: {
    caller: Caller
    request: RequestFacts
    parameters: () => Promise<{ sent: Record<string, unknown>; inPath: Record<string, string> }>
  }) => Promise<Outcome>
}
type Caller = NonNullable<VerifiedToken['caller']>

export interface RequestLinks {
  /** Asks gateways for no further requests; resolves when every link is closed. */
  leave(): Promise<void>
}

/** Lets gateways send requests over few connections instead of one for each that waits (services/DECISIONS.md). */
export const requestLinks = (
  server: Server,
  parts: {
    readonly endpoints: ReadonlyMap<string, LinkedEndpoint>
    readonly verifier: TokenVerifier
    readonly log: Logger
  },
): RequestLinks => {
  const open = new Set<ServiceLink>()
  let isLeaving = false

  const isGateway = async ({ headers, url }: IncomingMessage): Promise<boolean> => {
    const token = headers[callerHeader]
    if (url !== linkPath || headers.upgrade !== linkProtocol || typeof token !== 'string') return false
    const verified = await parts.verifier.verify(token)
    return verified?.issuer === 'gateway' && verified.caller === null
  }

  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    isGateway(request)
      .then((isTrusted) => {
        if (!isTrusted || isLeaving) {
          socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
          return
        }
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${linkProtocol}\r\n\r\n`,
        )
        const link = new ServiceLink(socket, parts)
        open.add(link)
        socket.once('close', () => open.delete(link))
        if (head.length > 0) link.receive(head)
      })
      .catch((error: unknown) => {
        parts.log.error({ err: error }, 'a link could not be opened')
        socket.destroy()
      })
  })

  return {
    async leave() {
      isLeaving = true
      await Promise.all([...open].map((link) => link.leave()))
    },
  }
}

class ServiceLink {
  readonly #socket: Socket
  readonly #writer: FrameWriter
  readonly #reader = new FrameReader()
  readonly #parts: Parameters<typeof requestLinks>[1]
  readonly #waiting = new Map<number, LinkedRequest>()
  #isLeaving = false

  constructor(socket: Socket, parts: Parameters<typeof requestLinks>[1]) {
    this.#socket = socket
    this.#parts = parts
    this.#writer = new FrameWriter(socket)
    socket.setTimeout(0)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    socket.on('data', (piece: Buffer) => this.receive(piece))
    socket.on('close', () => {
      for (const request of this.#waiting.values()) request.abort()
      this.#waiting.clear()
    })
  }

  receive(piece: Buffer): void {
    try {
      for (const frame of this.#reader.read(piece)) this.#take(frame)
    } catch (error) {
      this.#parts.log.error({ err: error }, 'a link is broken')
      this.#socket.destroy()
    }
  }

  #take({ number, kind, content }: Frame): void {
    if (kind === frameKinds.gone) {
      this.#waiting.get(number)?.abort()
      this.#waiting.delete(number)
      return
    }
    if (kind !== frameKinds.ask) throw new RangeError(`a gateway does not say ${kind}`)
    const asked = JSON.parse(content.toString()) as LinkedQuestion
    const linked = this.#parts.endpoints.get(asked.operation)
    if (linked === undefined) {
      this.#writer.write(number, frameKinds.elsewhere)
      return
    }
    const request = new LinkedRequest(asked, linked.endpoint)
    this.#waiting.set(number, request)
    void this.#answerOf(asked, linked, request).then((outcome) => {
      // Nobody is left to hear it when the client or the gateway has gone.
      if (this.#waiting.delete(number)) this.#answer(number, asked, outcome)
    })
  }

  async #answerOf(
    asked: LinkedQuestion,
    { admit, call }: LinkedEndpoint,
    request: RequestFacts,
  ): Promise<Outcome> {
    let caller: Caller
    try {
      const token = await this.#parts.verifier.verify(asked.caller)
      if (token === undefined) throw new ApiError('UNAUTHORIZED', 'This door opens to the gateway only.')
      caller = admit(token)
    } catch (error) {
      return refusalFor(error, this.#parts.log, asked.operation)
    }
    const parameters = async () => ({ sent: linkedParameters(asked), inPath: {} })
    return call({ caller, request, parameters })
  }

  #answer(number: number, { operation, form }: LinkedQuestion, outcome: Outcome): void {
    if (outcome instanceof ApiError) this.#refuse(number, outcome)
    else if (typeof outcome === 'string' && outcome.length <= largestAnswer)
      this.#writer.answer(number, 200, '', outcome)
    else if (form === undefined) this.#writer.write(number, frameKinds.elsewhere)
    else {
      // It has been done, and must not be done once more.
      const error = new Error('an endpoint that was declared to be brief answers at length')
      this.#refuse(number, refusalFor(error, this.#parts.log, operation))
    }
    if (this.#isLeaving && this.#waiting.size === 0) this.#sayFarewell()
  }

  #refuse(number: number, refusal: ApiError): void {
    const { status, headers } = refusal
    const sent = Object.keys(headers).length === 0 ? '' : JSON.stringify(headers)
    this.#writer.answer(number, status, sent, JSON.stringify(refusal.body()))
  }

  async leave(): Promise<void> {
    if (this.#socket.destroyed) return
    this.#isLeaving = true
    this.#writer.write(0, frameKinds.leaving)
    const closed = once(this.#socket, 'close')
    if (this.#waiting.size === 0) this.#sayFarewell()
    await closed
  }

  /** The gateway closes when it has got everything that it asked for; a request of its may still be on the way. */
  #sayFarewell(): void {
    setTimeout(() => {
      if (this.#waiting.size === 0) this.#socket.destroy()
    }, farewellTime).unref()
  }
}

/** What a handler sees of a request that came over a link. */
class LinkedRequest implements RequestFacts {
  readonly id: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly #path: string
  readonly #query: string
  #controller: AbortController | undefined
  #isGone = false

  constructor({ request, query, traceparent }: LinkedQuestion, { method, path }: AnyEndpoint) {
    this.id = request
    this.method = method
    this.headers = traceparent === undefined ? noHeaders : { traceparent }
    this.#path = path
    this.#query = query
  }

  get url(): string {
    return `/api/v1${this.#path}?${this.#query}`
  }

  get body(): Readable {
    return Readable.from([])
  }

  async *files(): AsyncGenerator<never> {}

  get gone(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isGone) this.#controller.abort()
    return this.#controller.signal
  }

  abort(): void {
    this.#isGone = true
    this.#controller?.abort()
  }
}

const noHeaders = {}
