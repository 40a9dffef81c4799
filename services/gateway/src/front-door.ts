import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, refuse } from '@parley/contracts'
import { refusalFor } from '@parley/kit/error-answer'
import { answerJson, answerRefusal } from './answers/answer.ts'
import { commonHeaders } from './answers/common-headers.ts'
import { allowOrigin, preflightHeaders } from './answers/cross-origin.ts'
import { maxUrlLength, onMalformedHttp, refuseConnection } from './answers/malformed-http.ts'
import { basicCaller, realmAt } from './callers/caller.ts'
import { clientAddress } from './callers/client-address.ts'
import { clientGoneStatus, Exchange } from './exchange.ts'
import { countCall } from './limits/count-call.ts'
import { logInAttempt } from './limits/log-in-attempt.ts'
import { sentForm } from './limits/sent-form.ts'
import { BrokenAnswerError } from './proxy/forward.ts'
import { type Passage, passOn } from './proxy/pass-on.ts'
import { ClientGoneError } from './proxy/request-body.ts'
import type { Deps } from './room.ts'
import type { RouteFound } from './routing/route-table.ts'
import { startRequestSpan, traceparentOf } from './tracing.ts'

/** Bytes of all headers and the request line together; node refuses more while reading. */
const maxHeaderSize = 64 * 1024
const maxHeaders = 100
/** Milliseconds for the headers, and for a whole request, to arrive. */
const headersTimeout = 15_000
const requestTimeout = 300_000

/**
 * The place that a request line names.
 *
 * @throws ApiError NOT_FOUND, METHOD_NOT_ALLOWED, BAD_REQUEST.
 */
const destination = (deps: Deps, { request }: Exchange): RouteFound => {
  const found = deps.routes.find(request.method ?? '', request.url ?? '')
  switch (found.kind) {
    case 'route':
      return found
    case 'other-methods':
      throw new ApiError(
        'METHOD_NOT_ALLOWED',
        'Method Not Allowed',
        { allowed_methods: found.allowed },
        { allow: found.allowed.join(', ') },
      )
    case 'unreadable':
      throw refuse('BAD_REQUEST', 'The address is not well-formed.')
    case 'nowhere':
      throw refuse('NOT_FOUND', 'Not found')
  }
}

/** @throws ApiError URI_TOO_LONG, HEADERS_TOO_LARGE. */
const demandMeasure = ({ url, rawHeaders }: IncomingMessage): void => {
  if ((url ?? '').length > maxUrlLength) throw refuse('URI_TOO_LONG', 'The address is too long.')
  if (rawHeaders.length > 2 * maxHeaders) throw refuse('HEADERS_TOO_LARGE', 'There are too many headers.')
}

const serve = async (deps: Deps, exchange: Exchange): Promise<number> => {
  const { request } = exchange
  demandMeasure(request)
  if (request.url === '/health') return answerJson(exchange, { result: 'success', msg: '' })
  if (allowOrigin(deps.corsOrigins, exchange)) {
    const preflight = preflightHeaders(exchange)
    if (preflight !== undefined) return answerJson(exchange, { result: 'success', msg: '' }, preflight)
  }
  const realm = await realmAt(deps, request)
  const { route, upstreamPath } = destination(deps, exchange)
  exchange.operation = route.operation
  exchange.span = startRequestSpan(route, request)
  const traceparent = traceparentOf(exchange.span)
  if (traceparent !== undefined) exchange.answerHeaders.push('traceparent', traceparent)
  const caller = await basicCaller(deps, realm, route, request.headers)
  await countCall(deps, exchange, route, caller)
  const passage = { route, path: upstreamPath, caller, traceparent }
  const { logInName } = route.endpoint
  return logInName === null
    ? passOn(deps, exchange, passage)
    : passOnLogIn(deps, exchange, { ...passage, logInName })
}

/** Log-ins are limited per account, whose name stands in the body. */
const passOnLogIn = async (
  deps: Deps,
  exchange: Exchange,
  { logInName, ...passage }: Passage & { logInName: string },
): Promise<number> => {
  const form = await sentForm(exchange.request)
  const who = { realmId: passage.caller.realm.id, userName: form.get(logInName) ?? '' }
  const path = passage.path.split('?')[0]!
  return logInAttempt(deps, who, () => passOn(deps, exchange, { ...passage, path, form: form.toString() }))
}

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
  if (refusal.status === 401) refusal.headers['www-authenticate'] = 'Basic realm="parley"'
  if (refusal.status === 503) refusal.headers['retry-after'] ??= '2'
  return answerRefusal(exchange, refusal)
}

/** The HTTP server that clients meet: finds out who asks whom for what, and passes it on. */
export const frontDoor = (deps: Deps): Server => {
  const common = commonHeaders(deps.publicUrl)
  /** The answer under way on each connection. */
  const current = new WeakMap<Duplex, ServerResponse>()

  const server = createServer(
    // Hosts are looked at by ourselves, so that a missing one is refused in the envelope too.
    {
      maxHeaderSize,
      headersTimeout,
      requestTimeout,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
    },
    async (request, response) => {
      const exchange = new Exchange(request, response, clientAddress(request, deps.trustedProxies), common)
      current.set(request.socket, response)
      deps.exchanges.add(exchange)
      let status: number
      try {
        status = await serve(deps, exchange)
      } catch (error) {
        status = await refuseExchange(deps, exchange, error)
      }
      exchange.settle(status)
      deps.exchanges.remove(exchange)
    },
  )
  // They are counted by ourselves: beyond its own limit node would leave headers out without a word.
  server.maxHeadersCount = 0
  deps.exchanges.attach(server)
  server.on('clientError', (error, socket) => onMalformedHttp(error, socket, current.get(socket), common))
  server.on('connect', (_request, socket) => {
    refuseConnection(socket, refuse('BAD_REQUEST', 'This is not a proxy.'), common)
  })
  return server
}
