import type { Caller } from '@parley/contracts'
import { callerHeader } from '@parley/kit/caller-token'
import type { Exchange } from '../exchange.ts'
import type { Deps } from '../room.ts'
import type { Route } from '../routing/route-table.ts'
import { asRefusal, neverConnected } from './connection-errors.ts'
import type { Replica } from './replicas.ts'

export interface EndpointAnswer {
  readonly status: number
  /** The whole body, `result` and `msg` included. */
  readonly body: Record<string, unknown>
}

/**
 * Asks an endpoint on the way of another request, for an answer that the gateway has to read: log-ins.
 *
 * @throws EngineUnavailableError or ApiError SERVER_NOT_READY when no replica answers.
 */
export const askEndpoint = async (
  deps: Deps,
  exchange: Exchange,
  { route, caller, form }: { route: Route; caller: Caller; form: URLSearchParams },
): Promise<EndpointAnswer> => {
  const replicas = deps.upstreams.of(route.service)
  const token = await deps.signer.sign(caller)
  const unreachable = new Set<Replica>()
  for (;;) {
    const replica = replicas.next(unreachable)
    try {
      const { statusCode, body } = await replica.pool('brief').request({
        method: route.endpoint.method,
        path: `/api/v1${route.endpoint.path}`,
        headers: {
          [callerHeader]: token,
          'x-request-id': exchange.id,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: form.toString(),
        headersTimeout: deps.limits.answer,
        bodyTimeout: deps.limits.answer,
      })
      return { status: statusCode, body: (await body.json()) as Record<string, unknown> }
    } catch (error) {
      if (!neverConnected(error)) throw asRefusal(error)
      unreachable.add(replica)
      replica.isUnreachable()
    }
  }
}
