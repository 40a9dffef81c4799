import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { refuse } from '@parley/contracts'
import { refusalFor } from '@parley/kit/error-answer'
import { answerRefusal } from './answers/answer.ts'
import { commonHeaders } from './answers/common-headers.ts'
import { onMalformedHttp, refuseConnection } from './answers/malformed-http.ts'
import { clientAddress } from './callers/client-address.ts'
import { clientGoneStatus, Exchange } from './exchange.ts'
import { countCall } from './limits/count-call.ts'
import { BrokenAnswerError } from './proxy/forward.ts'
import { ClientGoneError } from './proxy/request-body.ts'
import type { Deps } from './room.ts'
import { serve } from './serve.ts'
import { insideSpan } from './tracing.ts'

/** Bytes of all headers and the request line together; node refuses more while reading. */
const maxHeaderSize = 64 * 1024
/** Milliseconds for the headers to arrive; bodies have times of their own (request-body.ts). */
const headersTimeout = 15_000
/** Milliseconds for anything at all: the largest file over a slow line. */
const requestTimeout = 6 * 3_600_000

/** What whoever got no answer from a service is told; returns the status. */
const refuseExchange = async (deps: Deps, exchange: Exchange, thrown: unknown): Promise<number> => {
  let error = thrown
  if (!exchange.isCounted && !(error instanceof ClientGoneError)) {
    // Whoever has not got as far as an account counts by address: wrong keys, wrong paths.
    await countCall(deps, exchange, undefined, undefined).catch((refusal: unknown) => {
      error = refusal
    })
  }
  if (error instanceof ClientGoneError) return clientGoneStatus
  if (error instanceof BrokenAnswerError) {
    deps.log.warn({ err: error, operation: exchange.operation, request: exchange.id }, 'answer broke off')
    return 502
  }
  const refusal = refusalFor(error, deps.log, exchange.operation)
  if (refusal.status === 401) refusal.headers['www-authenticate'] = exchange.challenge
  if (refusal.status === 503) refusal.headers['retry-after'] ??= '2'
  return answerRefusal(exchange, refusal)
}

/** The HTTP server that clients meet: finds out who asks whom for what, and passes it on. */
export const frontDoor = (deps: Deps): Server => {
  const common = commonHeaders(deps.publicUrl)
  /** The answer under way on each connection. */
  const current = new WeakMap<Duplex, ServerResponse>()

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const exchange = new Exchange(request, response, clientAddress(request, deps.trustedProxies), common)
    current.set(request.socket, response)
    deps.exchanges.add(exchange)
    let status: number
    try {
      status = await serve(deps, exchange)
    } catch (error) {
      status = await insideSpan(exchange.span, () => refuseExchange(deps, exchange, error))
    }
    exchange.settle(status)
    deps.exchanges.remove(exchange)
  }

  const server = createServer(
    // Hosts are looked at by ourselves, so that a missing one is refused in the envelope too.
    {
      maxHeaderSize,
      headersTimeout,
      requestTimeout,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
    },
    answer,
  )
  // Whatever else than to be told to continue a client expects, it gets an answer.
  server.on('checkExpectation', answer)
  // They are counted by ourselves: beyond its own limit node would leave headers out without a word.
  server.maxHeadersCount = 0
  server.on('clientError', (error, socket) => onMalformedHttp(error, socket, current.get(socket), common))
  server.on('connect', (_request, socket) => {
    refuseConnection(socket, refuse('BAD_REQUEST', 'This is not a proxy.'), common)
  })
  return server
}
