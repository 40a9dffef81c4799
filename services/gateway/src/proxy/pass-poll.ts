import { ApiError } from '@parley/contracts'
import type { AskedPoll, LinkedAnswer } from '@parley/kit/link-frames'
import { answerJson } from '../answers/answer.ts'
import { withoutReplaced } from '../answers/common-headers.ts'
import type { Exchange } from '../exchange.ts'
import type { Deps } from '../room.ts'
import { asRefusal, neverConnected, wasCutOff } from './connection-errors.ts'
import { earlyHeartbeat } from './early-heartbeat.ts'
import { addHeadersForClient } from './forwarded-headers.ts'
import { type Passage, passOn } from './pass-on.ts'
import type { Asker } from './poll-link.ts'
import type { Replica, Replicas } from './replicas.ts'
import { ClientGoneError, requestBody } from './request-body.ts'

/** Milliseconds for which a client may leave the answer unread. */
const readTimeout = 60_000

/**
 * Hands a long-poll to its service over the link to one of the replicas, so that waiting costs no connection there. What
 * the service does not want to answer on a link goes the ordinary way.
 *
 * @returns the status that was answered.
 * @throws what `passOn` throws.
 */
export const passPoll = async (deps: Deps, exchange: Exchange, passage: Passage): Promise<number> => {
  const { request } = exchange
  const { route, path, caller, traceparent } = passage
  // A client that was faster than the end of its connection.
  if (deps.exchanges.isDraining) return answerJson(exchange, earlyHeartbeat(request.url ?? ''))
  // A GET's parameters are in its query; whatever else came with it is not looked at.
  await requestBody(request, { bytes: deps.limits.body, time: undefined })
  const poll: AskedPoll = {
    operation: route.operation,
    query: path.slice(path.indexOf('?') + 1 || path.length),
    caller: await deps.signer.sign(caller),
    request: exchange.id,
    ...(traceparent === undefined ? {} : { traceparent }),
  }
  const leave = deps.capacity.enter(route.service, 'poll')
  let status: number | undefined
  try {
    status = await new LinkedPoll(exchange, deps.upstreams.of(route.service), poll).status
  } finally {
    exchange.answerEarly = undefined
    leave()
  }
  return status ?? passOn(deps, exchange, passage)
}

/** A poll on its way: asked again elsewhere when its replica cannot be reached, and once when it was cut off. */
class LinkedPoll implements Asker {
  /** What the client was sent; undefined when it has to be asked by a request of its own. */
  readonly status: Promise<number | undefined>
  readonly #exchange: Exchange
  readonly #replicas: Replicas
  readonly #poll: AskedPoll
  readonly #resolve: (status: number | undefined) => void
  readonly #reject: (error: unknown) => void
  #replica: Replica | undefined
  #unreachable: Set<Replica> | undefined
  #wasCutOff = false
  #isSettled = false
  #withdraw: () => void = () => {}

  constructor(exchange: Exchange, replicas: Replicas, poll: AskedPoll) {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    this.status = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#exchange = exchange
    this.#replicas = replicas
    this.#poll = poll
    exchange.response.once('close', this.#onClose)
    exchange.answerEarly = () => {
      if (!this.#settle()) return
      this.#withdraw()
      this.#resolve(answerJson(exchange, earlyHeartbeat(exchange.request.url ?? '')))
    }
    this.#next()
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
      if (response.writableLength > 0) this.#boundReading()
    }
    this.#resolve(status)
  }

  elsewhere(): void {
    if (this.#settle()) this.#resolve(undefined)
  }

  failed(error: Error): void {
    if (this.#isSettled) return
    if (neverConnected(error)) {
      this.#unreachable ??= new Set()
      this.#unreachable.add(this.#replica!)
      this.#replica!.isUnreachable()
      this.#next()
    } else if (wasCutOff(error) && !this.#wasCutOff) {
      this.#wasCutOff = true
      this.#next()
    } else this.#fail(error)
  }

  #next(): void {
    try {
      this.#replica = this.#replicas.next(this.#unreachable)
      this.#withdraw = this.#replica.link().ask(this.#poll, this)
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

  #boundReading(): void {
    const { response } = this.#exchange
    const timer = setTimeout(() => response.destroy(), readTimeout)
    response.once('close', () => clearTimeout(timer))
  }
}
