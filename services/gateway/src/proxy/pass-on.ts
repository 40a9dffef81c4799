import type { Caller } from '@parley/contracts'
import { callerHeader } from '@parley/kit/caller-token'
import type { LinkedQuestion } from '@parley/kit/link-frames'
import { answerJson, letRequestEnd } from '../answers/answer.ts'
import type { Exchange } from '../exchange.ts'
import type { Deps } from '../room.ts'
import type { Route } from '../routing/route-table.ts'
import { earlyHeartbeat } from './early-heartbeat.ts'
import { forward } from './forward.ts'
import { headersForService } from './forwarded-headers.ts'
import { type BodyLimit, type RequestBody, requestBody, StreamedBody } from './request-body.ts'

/** Milliseconds until a long-poll has to be answered; event-queue sends heartbeats well before. */
export const pollTimeout = 120_000

/** Milliseconds for a body of parameters to arrive. */
const parameterTime = 300_000

export interface Passage {
  readonly route: Route
  /** Path and query, as the service knows them. */
  readonly path: string
  readonly caller: Caller
  readonly traceparent: string | undefined
  /** Sent as a form instead of the body, where the gateway had to read that itself. */
  readonly form?: string
}

export const parameterBody = ({ limits }: Deps): BodyLimit => ({ bytes: limits.body, time: parameterTime })
/** Stalled senders are found out; how long a large file takes is their line's business. */
const fileBody = ({ limits }: Deps): BodyLimit => ({ bytes: limits.file, time: undefined })

const formBody = (form: string, headers: string[]): Buffer => {
  const type = headers.indexOf('content-type')
  if (type !== -1) headers.splice(type, 2)
  headers.push('content-type', 'application/x-www-form-urlencoded')
  return Buffer.from(form)
}

/** What is asked over a link, in the caller's name. */
export const linkedQuestion = async (
  deps: Deps,
  exchange: Exchange,
  { route, path, caller, traceparent }: Passage,
  form?: string,
): Promise<LinkedQuestion> => ({
  operation: route.operation,
  query: path.slice(path.indexOf('?') + 1 || path.length),
  ...(form === undefined ? {} : { form }),
  caller: await deps.signer.sign(caller),
  request: exchange.id,
  ...(traceparent === undefined ? {} : { traceparent }),
})

/**
 * Hands a request to its service in the caller's name, and the answer back.
 *
 * @returns the status that was answered.
 * @throws what `forward` and `requestBody` throw.
 */
export const passOn = async (deps: Deps, exchange: Exchange, passage: Passage): Promise<number> => {
  const { request } = exchange
  const { route, caller, traceparent } = passage
  const headers = headersForService(request.rawHeaders, request.headers.connection)
  headers.push(callerHeader, await deps.signer.sign(caller), 'x-request-id', exchange.id)
  if (traceparent !== undefined) headers.push('traceparent', traceparent)
  const body =
    passage.form === undefined
      ? await requestBody(
          request,
          route.endpoint.body === 'parameters' ? parameterBody(deps) : fileBody(deps),
        )
      : formBody(passage.form, headers)
  try {
    return await passBodyOn(deps, exchange, passage, headers, body)
  } finally {
    if (body instanceof StreamedBody) {
      // Nobody takes it any more: the service may have had its fill, or there was none to take it.
      body.destroy()
      letRequestEnd(request)
    }
  }
}

const passBodyOn = async (
  deps: Deps,
  exchange: Exchange,
  { route, path, caller }: Passage,
  headers: string[],
  body: RequestBody,
): Promise<number> => {
  const { request, response, answerHeaders } = exchange
  const { endpoint } = route
  const isPoll = endpoint.longPoll
  const leave =
    route.operation === 'registerQueue'
      ? await deps.capacity.register(route.service, response)
      : deps.capacity.enter(route.service, isPoll ? 'poll' : 'request')
  const forwarding = forward({
    request,
    response,
    // Services answer HEAD only where a body would cost; elsewhere the body is left out here.
    method: request.method === 'HEAD' && endpoint.answer === 'json' ? 'GET' : (request.method ?? 'GET'),
    replicas: deps.upstreams.of(route.service),
    lane: isPoll
      ? 'poll'
      : body instanceof StreamedBody || endpoint.answer === 'stream'
        ? 'streamed'
        : 'brief',
    path,
    headers,
    body,
    answerTimeout: isPoll ? pollTimeout : deps.limits.answer,
    answerHeaders,
    challenge: endpoint.access === 'spectator' && caller.user === null ? exchange.challenge : undefined,
  })
  if (isPoll) {
    exchange.answerEarly = () => {
      if (response.headersSent) return
      forwarding.giveUp(200)
      answerJson(exchange, earlyHeartbeat(request.url ?? ''))
    }
  }
  try {
    return await forwarding.status
  } finally {
    leave()
  }
}
