import {
  type AnyEndpoint,
  type Caller,
  type ErrorsOf,
  type ParamsOf,
  parameterReader,
  type Refuse,
  type ReplyOf,
  refuse,
} from '@parley/contracts'
import { demandAccess } from '@parley/kit/access'
import { answerJson, answerText } from './answers/answer.ts'
import type { KnownRealm } from './callers/realm-directory.ts'
import type { Exchange } from './exchange.ts'
import { sentForm } from './limits/sent-form.ts'
import type { Deps } from './room.ts'
import type { RouteFound } from './routing/route-table.ts'
import type { Session } from './sessions/session-store.ts'

/** A request to the gateway itself, and who makes it. */
export interface Visit {
  readonly exchange: Exchange
  readonly realm: KnownRealm
  readonly caller: Caller
  readonly session: Session | undefined
}

interface OwnAnswer<E extends AnyEndpoint> {
  readonly reply: ReplyOf<E> | OwnStreamedReply
  /** Flat list. */
  readonly headers?: readonly string[]
}

/** What the gateway hands out that is not the envelope, of endpoints whose contract says so. */
export class OwnStreamedReply {
  readonly status: number
  readonly type: string
  readonly body: string | Buffer
  constructor(status: number, type: string, body: string | Buffer) {
    this.status = status
    this.type = type
    this.body = body
  }
}

/** The handler of an endpoint that the gateway answers itself; unlike a service's it sees the connection. */
export interface OwnHandler<E extends AnyEndpoint> {
  readonly endpoint: E
  readonly handle: (context: {
    params: ParamsOf<E>
    visit: Visit
    deps: Deps
    refuse: Refuse<ErrorsOf<E>>
  }) => Promise<OwnAnswer<E>>
}

export const ownEndpoint = <E extends AnyEndpoint>(
  endpoint: E,
  handle: OwnHandler<E>['handle'],
): OwnHandler<E> => ({ endpoint, handle })

/** Reads the parameters as services do, runs the handler, and answers. */
export const serveOwn = async (
  deps: Deps,
  visit: Visit,
  found: RouteFound,
  handler: OwnHandler<AnyEndpoint>,
): Promise<number> => {
  const { endpoint } = handler
  demandAccess(endpoint.access, visit.caller, endpoint.webhookBots)
  const form = Object.fromEntries(await sentForm(visit.exchange.request))
  const { values, ignored } = parameterReader(endpoint.params, endpoint.aliases)(form, found.pathParameters)
  const { reply, headers } = await handler.handle({ params: values as never, visit, deps, refuse })
  if (reply instanceof OwnStreamedReply) {
    return answerText(visit.exchange, reply.status, reply.type, reply.body, headers)
  }
  return answerJson(
    visit.exchange,
    {
      result: 'success',
      msg: '',
      ...reply,
      ...(ignored.length === 0 ? {} : { ignored_parameters_unsupported: ignored }),
    },
    headers,
  )
}
