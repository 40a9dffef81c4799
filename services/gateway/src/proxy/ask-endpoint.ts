import type { Caller } from '@parley/contracts'
import { callerHeader } from '@parley/kit/caller-token'
import type { Exchange } from '../exchange.ts'
import type { Deps } from '../room.ts'
import type { Route } from '../routing/route-table.ts'
import { traceparentOf } from '../tracing.ts'
import { asRefusal, neverConnected } from './connection-errors.ts'
import { ReplicaSearch } from './replica-search.ts'

interface ServiceAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export interface EndpointAnswer {
  readonly status: number
  /** The whole body, `result` and `msg` included. */
  readonly body: Record<string, unknown>
}

interface Question {
  readonly route: Route
  readonly caller: Caller
  readonly form: URLSearchParams
}

/** Asks an endpoint on the way of another request, for an answer in the envelope that the gateway has to read: log-ins. */
export const askEndpoint = async (
  deps: Deps,
  exchange: Exchange,
  question: Question,
): Promise<EndpointAnswer> => {
  const { status, text } = await askService(deps, exchange, question)
  return { status, body: JSON.parse(text) as Record<string, unknown> }
}

/**
 * The same for an answer of any type.
 *
 * @throws EngineUnavailableError or ApiError SERVER_NOT_READY when no replica answers.
 */
export const askService = async (
  deps: Deps,
  exchange: Exchange,
  { route, caller, form }: Question,
): Promise<ServiceAnswer> => {
  const { method, path, root } = route.endpoint
  const search = new ReplicaSearch(deps.upstreams.of(route.service))
  const token = await deps.signer.sign(caller)
  const traceparent = exchange.span === undefined ? undefined : traceparentOf(exchange.span)
  for (;;) {
    const pool = search.next().pool('brief')
    try {
      const { statusCode, headers, body } = await pool.request({
        method,
        path: root === 'server' ? path : `/api/v1${path}`,
        headers: {
          [callerHeader]: token,
          'x-request-id': exchange.id,
          ...(traceparent === undefined ? {} : { traceparent }),
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: form.toString(),
        headersTimeout: deps.limits.answer,
        bodyTimeout: deps.limits.answer,
      })
      return { status: statusCode, headers, text: await body.text() }
    } catch (error) {
      if (!neverConnected(error)) throw asRefusal(error)
      search.missed()
    }
  }
}
