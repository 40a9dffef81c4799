import { ApiError } from '@parley/contracts'
import type { LinkedAnswer, LinkedQuestion } from '@parley/kit/link-frames'
import { withoutReplaced } from '../answers/common-headers.ts'
import { expectReading } from '../answers/unread-answers.ts'
import type { Exchange } from '../exchange.ts'
import { asRefusal, neverConnected, wasCutOff } from './connection-errors.ts'
import { addHeadersForClient } from './forwarded-headers.ts'
import type { Asker, Asking } from './link.ts'
import { ReplicaSearch } from './replica-search.ts'
import type { Replicas } from './replicas.ts'
import { ClientGoneError } from './request-body.ts'

/** How a request is asked over a link. */
export interface LinkedRequestParts {
  readonly replicas: Replicas
  readonly question: LinkedQuestion
  readonly patience: Asking['patience']
  readonly load: Asking['load']
  /** Whether it may be asked once more when nobody knows what became of it. */
  readonly isRepeatable: boolean
}

/**
 * A request on its way over a link: asked elsewhere when its replica cannot be reached, and once more when it was cut off
 * and may be repeated.
 */
export class LinkedRequest implements Asker {
  /**
   * What the client was sent; undefined when the service has to be asked by a request of its own. Rejects with ApiError or
   * EngineUnavailableError while nothing has been answered, with ClientGoneError when the client left.
   */
  readonly status: Promise<number | undefined>
  readonly #exchange: Exchange
  readonly #parts: LinkedRequestParts
  readonly #search: ReplicaSearch
  readonly #resolve: (status: number | undefined) => void
  readonly #reject: (error: unknown) => void
  #wasCutOff = false
  #isSettled = false
  #withdraw: () => void = () => {}

  constructor(exchange: Exchange, parts: LinkedRequestParts) {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    this.status = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#exchange = exchange
    this.#parts = parts
    this.#search = new ReplicaSearch(parts.replicas)
    exchange.response.once('close', this.#onClose)
    this.#next()
  }

  /** Withdraws the question and has the client answered by `answer`, unless it has been answered. */
  answerInstead(answer: () => number): void {
    if (!this.#settle()) return
    this.#withdraw()
    this.#resolve(answer())
  }

  answered({ status, headers, body }: LinkedAnswer): void {
    if (!this.#settle()) return
    const { response, answerHeaders } = this.#exchange
    if (!response.destroyed) {
      const all = withoutReplaced(answerHeaders, (name) => headers[name] !== undefined)
      addHeadersForClient(headers, all)
      all.push('content-type', 'application/json; charset=utf-8', 'content-length', String(body.length))
      response.writeHead(status, all)
      response.end(body)
      expectReading(response)
    }
    this.#resolve(status)
  }

  elsewhere(): void {
    if (this.#settle()) this.#resolve(undefined)
  }

  unreachable(error: Error): void {
    if (this.#isSettled) return
    if (!neverConnected(error) && !this.#wasCutOff) this.#wasCutOff = true
    else this.#search.missed()
    this.#next()
  }

  failed(error: Error): void {
    if (this.#isSettled) return
    if (this.#parts.isRepeatable && wasCutOff(error) && !this.#wasCutOff) {
      this.#wasCutOff = true
      this.#next()
    } else this.#fail(error)
  }

  #next(): void {
    const { question, patience, load } = this.#parts
    try {
      this.#withdraw = this.#search.next().links().ask({ question, patience, load, asker: this })
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #onClose = (): void => {
    if (this.#isSettled) return
    this.#withdraw()
    this.#fail(new ClientGoneError())
  }

  #fail(error: unknown): void {
    if (!this.#settle()) return
    this.#reject(error instanceof ClientGoneError || error instanceof ApiError ? error : asRefusal(error))
  }

  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    this.#exchange.response.off('close', this.#onClose)
    return true
  }
}
