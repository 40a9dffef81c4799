import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Span } from '@opentelemetry/api'
import { requestDuration } from '@parley/kit/metrics'
import type { RouteFound } from './routing/route-table.ts'
import { endRequestSpan } from './tracing.ts'

/** What a client is said to have got that left before its answer, as proxies commonly write it. */
export const clientGoneStatus = 499

const usableId = /^[\w.~+/=:@-]{1,128}$/

/** One request and its answer, on their way through the gateway. */
export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Correlates logs; the client's own where it sent a usable one. */
  readonly id: string
  /** Where it came from, as far as trusted proxies tell. */
  readonly address: string
  /** Headers that the answer gets besides those of its content: a flat list. */
  readonly answerHeaders: string[]
  /** What metrics and spans call it: the contract's name, once the route is known. */
  operation = 'unrouted'
  span: Span | undefined
  /** What a 401 asks for (RFC 9110, section 11.6.1). */
  challenge = 'Basic realm="parley"'
  /** Whether some budget was charged for it. */
  isCounted = false
  /** Answers a waiting request before its service does; set while that is possible. */
  answerEarly: (() => void) | undefined
  readonly #startedAt = performance.now()

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    address: string,
    commonHeaders: readonly string[],
  ) {
    const sent = request.headers['x-request-id']
    this.request = request
    this.response = response
    this.address = address
    this.id = typeof sent === 'string' && usableId.test(sent) ? sent : randomUUID()
    this.answerHeaders = ['x-request-id', this.id, ...commonHeaders]
  }

  /** UNIX seconds, with their fraction. */
  get begunAt(): number {
    return (Date.now() - (performance.now() - this.#startedAt)) / 1000
  }

  /** Says where it goes, once that is known. */
  enter({ route, door }: RouteFound): void {
    this.operation = route.operation
    if (door !== 'api') this.challenge = 'Session realm="parley"'
  }

  /** Writes down how it ended. */
  settle(status: number): void {
    this.answerEarly = undefined
    const seconds = (performance.now() - this.#startedAt) / 1000
    requestDuration.observe({ operation: this.operation, status }, seconds)
    if (this.span !== undefined) endRequestSpan(this.span, status)
  }
}
