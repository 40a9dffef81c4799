import type { IncomingMessage } from 'node:http'
import { ApiError, refuse } from '@parley/contracts'
import { answerJson, answerText } from './answers/answer.ts'
import { allowOrigin, preflightHeaders } from './answers/cross-origin.ts'
import { maxUrlLength } from './answers/malformed-http.ts'
import { identify } from './callers/identify.ts'
import { realmAt } from './callers/realm-at.ts'
import { isForeign } from './callers/session-caller.ts'
import type { Document } from './docs/documents.ts'
import type { Exchange } from './exchange.ts'
import { countCall } from './limits/count-call.ts'
import { logInAttempt } from './limits/log-in-attempt.ts'
import { sentForm } from './limits/sent-form.ts'
import { serveOwn, type Visit } from './own-endpoint.ts'
import { ownHandlers } from './own-endpoints.ts'
import { askEndpoint, askService } from './proxy/ask-endpoint.ts'
import { addHeadersForClient } from './proxy/forwarded-headers.ts'
import { isBriefly, passBrief } from './proxy/pass-brief.ts'
import { passOn } from './proxy/pass-on.ts'
import { passPoll } from './proxy/pass-poll.ts'
import type { Deps } from './room.ts'
import type { RouteFound } from './routing/route-table.ts'
import { openSession } from './sessions/open-session.ts'
import { insideSpan, startRequestSpan, traceparentOf } from './tracing.ts'

const maxHeaders = 100

/** Where a request arrived. */
interface Place {
  readonly realm: Visit['realm']
  readonly found: RouteFound
  readonly traceparent: string | undefined
}

const healthy = { result: 'success', msg: '' }

/** Two of them: proxies in front may have believed the other one. */
const hasTwoHosts = (rawHeaders: readonly string[]): boolean => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** @throws ApiError URI_TOO_LONG, HEADERS_TOO_LARGE, BAD_REQUEST. */
const demandMeasure = ({ url, rawHeaders }: IncomingMessage): void => {
  if ((url ?? '').length > maxUrlLength) throw refuse('URI_TOO_LONG', 'The address is too long.')
  if (rawHeaders.length > 2 * maxHeaders) throw refuse('HEADERS_TOO_LARGE', 'There are too many headers.')
  if (hasTwoHosts(rawHeaders)) throw refuse('BAD_REQUEST', 'There is more than one Host header.')
}

const otherMethods = (allowed: readonly string[]): ApiError =>
  new ApiError(
    'METHOD_NOT_ALLOWED',
    'Method Not Allowed',
    { allowed_methods: allowed },
    { allow: allowed.join(', ') },
  )

/** The place that a request line names, or the refusal NOT_FOUND, METHOD_NOT_ALLOWED or BAD_REQUEST. */
const placeOf = (deps: Deps, { request }: Exchange): RouteFound | ApiError => {
  const found = deps.routes.find(request.method ?? '', request.url ?? '')
  switch (found.kind) {
    case 'route':
      return found
    case 'other-methods':
      return otherMethods(found.allowed)
    case 'unreadable':
      return refuse('BAD_REQUEST', 'The address is not well-formed.')
    case 'nowhere':
      return refuse('NOT_FOUND', 'Not found')
  }
}

/**
 * The way of a request through the gateway: where, whose, who, how often, and on to the service.
 *
 * @returns the status that was answered.
 * @throws whatever keeps it from being answered by a service; nothing has been answered then.
 */
export const serve = async (deps: Deps, exchange: Exchange): Promise<number> => {
  const { request } = exchange
  demandMeasure(request)
  if (request.url === '/health') return answerJson(exchange, healthy)
  if (allowOrigin(deps.corsOrigins, exchange)) {
    const preflight = preflightHeaders(exchange)
    if (preflight !== undefined) return answerJson(exchange, healthy, preflight)
  }
  const document = deps.documents.get(request.url?.split('?')[0] ?? '')
  if (document !== undefined) return showDocument(deps, exchange, document)
  const found = placeOf(deps, exchange)
  const realmless = found instanceof ApiError ? false : found.route.endpoint.realmless
  // Who asks at a host where nobody lives learns that first, whatever the path.
  const realm = await realmAt(deps, request, realmless)
  if (found instanceof ApiError) throw found
  exchange.enter(found)
  exchange.span = startRequestSpan(found.route, request)
  const traceparent = traceparentOf(exchange.span)
  if (traceparent !== undefined) exchange.answerHeaders.push('traceparent', traceparent)
  return insideSpan(exchange.span, () => serveRoute(deps, exchange, { realm, found, traceparent }))
}

/** Who calls, how often, and on to whoever answers. */
const serveRoute = async (
  deps: Deps,
  exchange: Exchange,
  { realm, found, traceparent }: Place,
): Promise<number> => {
  const { request } = exchange
  const visit = { exchange, realm, ...(await identify(deps, realm, found, request)) }
  await countCall(deps, exchange, found.route, visit.caller)

  const handler = ownHandlers.get(found.route.operation)
  if (handler !== undefined) return serveOwn(deps, visit, found, handler)
  const { logInName, opensSession } = found.route.endpoint
  if (logInName !== null) return passLogInOn(deps, visit, found, logInName, traceparent)
  if (opensSession) return passAndOpenSession(deps, visit, found)
  const { route, upstreamPath: path } = found
  const passage = { route, path, caller: visit.caller, traceparent }
  if (route.endpoint.longPoll) return passPoll(deps, exchange, passage)
  if (route.endpoint.brief && isBriefly(request)) return passBrief(deps, exchange, passage)
  return passOn(deps, exchange, passage)
}

const showDocument = async (deps: Deps, exchange: Exchange, document: Document): Promise<number> => {
  const { method } = exchange.request
  if (method !== 'GET' && method !== 'HEAD') throw otherMethods(['GET', 'HEAD'])
  exchange.operation = 'documentation'
  await countCall(deps, exchange, undefined, undefined)
  return answerText(exchange, 200, document.type, document.body, document.headers)
}

/** Log-ins are limited per account, whose name stands in the body. */
const passLogInOn = async (
  deps: Deps,
  { exchange, realm, caller }: Visit,
  { route, upstreamPath }: RouteFound,
  logInName: string,
  traceparent: string | undefined,
): Promise<number> => {
  const form = await sentForm(exchange.request)
  const who = { realmId: realm.caller.id, userName: form.get(logInName) ?? '' }
  const path = upstreamPath.split('?')[0]!
  return logInAttempt(deps, who, () =>
    passOn(deps, exchange, { route, path, caller, traceparent, form: form.toString() }),
  )
}

/** For endpoints whose success logs the browser in as well (facts, section 2.1, dev_fetch_api_key). */
const passAndOpenSession = async (deps: Deps, visit: Visit, { route }: RouteFound): Promise<number> => {
  const { exchange, caller } = visit
  const form = await sentForm(exchange.request)
  if (route.endpoint.answer === 'stream') return passPageAndOpenSession(deps, visit, { route, caller, form })
  const { status, body } = await askEndpoint(deps, exchange, { route, caller, form })
  const headers = status === 200 ? await openSession(deps, visit, Number(body.user_id)) : []
  return answerText(exchange, status, 'application/json', JSON.stringify(body), headers)
}

/** The header of a page by which its service says who is to be logged in; clients never see it. */
const sessionUser = 'x-parley-session-user'

/** Where the page of another site sent the form, the browser is not logged in: it would be somebody else's choice as whom. */
const passPageAndOpenSession = async (
  deps: Deps,
  visit: Visit,
  question: Parameters<typeof askService>[2],
): Promise<number> => {
  const { exchange } = visit
  const { status, headers: answered, text } = await askService(deps, exchange, question)
  const { 'content-type': type, 'content-length': _length, [sessionUser]: user, ...rest } = answered
  const headers: string[] = []
  addHeadersForClient(rest, headers)
  if (typeof user === 'string' && !isForeign(deps.publicUrl, exchange.request)) {
    headers.push(...(await openSession(deps, visit, Number(user))))
  }
  return answerText(exchange, status, String(type ?? 'text/html; charset=utf-8'), text, headers)
}
