import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import { withoutReplaced } from '../answers/common-headers.ts'
import { expectReading, readTimeout } from '../answers/unread-answers.ts'
import { asRefusal, codeOf, neverConnected, wasCutOff } from './connection-errors.ts'
import { addHeadersForClient } from './forwarded-headers.ts'
import { ReplicaSearch } from './replica-search.ts'
import type { Lane, Replicas } from './replicas.ts'
import { ClientGoneError, type RequestBody } from './request-body.ts'

/** A request as its service will see it, and where its answer goes. */
export interface Forwarding {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** How the service is asked. */
  readonly method: string
  readonly replicas: Replicas
  readonly lane: Lane
  /** Path and query. */
  readonly path: string
  /** Flat list of names and values. */
  readonly headers: string[]
  readonly body: RequestBody
  /** Milliseconds until the answer has to begin. */
  readonly answerTimeout: number
  /** Headers that the gateway adds to the answer: a flat list. */
  readonly answerHeaders: readonly string[]
  /** What a 401 of the service asks for, where it may come without credentials; a service does not know the door. */
  readonly challenge: string | undefined
}

/** How an answer ended that the gateway could not complete. */
export class BrokenAnswerError extends Error {}

/** Milliseconds between two pieces of an answer. */
const bodyTimeout = 30_000

/**
 * Passes a request to one of the service's replicas and its answer back, piece by piece, at the pace of the slower
 * side. Tried again elsewhere only when it cannot have had an effect: no connection was made, or (GET) it was cut
 * off before an answer began.
 *
 * The status that the client was sent rejects with ApiError or EngineUnavailableError while nothing has been
 * answered, with BrokenAnswerError when the answer broke off, with ClientGoneError when the client left.
 */
export const forward = (
  forwarding: Forwarding,
): { status: Promise<number>; giveUp(status: number): void } => {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const attempts = new Attempts(forwarding, resolve, reject)
  attempts.next()
  return { status: promise, giveUp: (status) => attempts.giveUp(status) }
}

class Attempts implements Dispatcher.DispatchHandler {
  readonly #forwarding: Forwarding
  readonly #resolve: (status: number) => void
  readonly #reject: (error: unknown) => void
  readonly #search: ReplicaSearch
  #wasCutOff = false
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  /** Bytes of the answer still to come, where the service said how many. */
  #left = -1
  #isSettled = false
  #unread: NodeJS.Timeout | undefined

  constructor(forwarding: Forwarding, resolve: (status: number) => void, reject: (error: unknown) => void) {
    this.#forwarding = forwarding
    this.#search = new ReplicaSearch(forwarding.replicas)
    this.#resolve = resolve
    this.#reject = reject
    forwarding.response.on('close', () => this.#onClose())
  }

  next(): void {
    const { lane, path, method, headers, body, answerTimeout } = this.#forwarding
    try {
      const pool = this.#search.next().pool(lane)
      pool.dispatch(
        {
          path,
          method: method as Dispatcher.HttpMethod,
          headers,
          body,
          headersTimeout: answerTimeout,
          bodyTimeout,
        },
        this,
      )
    } catch (error) {
      this.#fail(error)
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isSettled) controller.abort(new ClientGoneError())
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    answered: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200 || this.#isSettled) return
    this.#status = status
    const length = answered['content-length']
    if (typeof length === 'string') this.#left = Number(length)
    const headers = withoutReplaced(this.#forwarding.answerHeaders, (name) => answered[name] !== undefined)
    addHeadersForClient(answered, headers)
    const { challenge } = this.#forwarding
    if (status === 401 && challenge !== undefined) headers.push('www-authenticate', challenge)
    this.#forwarding.response.writeHead(status, headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    const { response } = this.#forwarding
    if (response.destroyed) return
    this.#left -= piece.length
    if (this.#left === 0) {
      // The last piece leaves together with the header when it is the first one too.
      response.end(piece)
      expectReading(response)
    } else if (!response.write(piece)) {
      controller.pause()
      this.#unread = setTimeout(() => response.destroy(), readTimeout)
      response.once('drain', () => {
        clearTimeout(this.#unread)
        controller.resume()
      })
    }
  }

  onResponseEnd(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    const { response } = this.#forwarding
    if (!response.writableEnded) {
      response.end()
      expectReading(response)
    }
    this.#resolve(this.#status)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isSettled) return
    const { response, method } = this.#forwarding
    if (response.headersSent) {
      this.#fail(new BrokenAnswerError(`the answer broke off: ${codeOf(error)}`, { cause: error }))
      response.destroy()
      return
    }
    if (this.#controller === undefined && neverConnected(error)) {
      this.#search.missed()
      this.next()
    } else if (method === 'GET' && wasCutOff(error) && !this.#wasCutOff) {
      this.#wasCutOff = true
      this.#controller = undefined
      this.next()
    } else {
      this.#fail(error)
    }
  }

  /** Leaves the answer to the caller, who gives this status; whatever the service says comes too late. */
  giveUp(status: number): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#resolve(status)
    this.#controller?.abort(new ClientGoneError())
  }

  #onClose(): void {
    clearTimeout(this.#unread)
    if (this.#isSettled || this.#forwarding.response.writableEnded) return
    this.#fail(new ClientGoneError())
    this.#controller?.abort(new ClientGoneError())
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#reject(isOwn(error) ? error : asRefusal(error))
  }
}

const isOwn = (error: unknown): boolean =>
  error instanceof ClientGoneError || error instanceof BrokenAnswerError
