import type { IncomingMessage } from 'node:http'
import type { Exchange } from '../exchange.ts'
import type { Deps } from '../room.ts'
import { loads } from './link-pool.ts'
import { LinkedRequest } from './linked-request.ts'
import { linkedQuestion, type Passage, parameterBody, passOn } from './pass-on.ts'
import { isSmall, requestBody } from './request-body.ts'

const formType = /^application\/x-www-form-urlencoded *(;|$)/

/** Whether it is sent as clients send what is brief: a small form. Everything else goes the ordinary way. */
export const isBriefly = ({ headers }: IncomingMessage): boolean =>
  isSmall(headers['content-length']) && formType.test(headers['content-type'] ?? '')

/**
 * Hands a request that is small and frequent to its service over a link to one of the replicas: for both sides that is two
 * thirds of the work of a request of its own (test/load/README.md).
 *
 * @returns the status that was answered.
 * @throws what `passOn` throws.
 */
export const passBrief = async (deps: Deps, exchange: Exchange, passage: Passage): Promise<number> => {
  const { service } = passage.route
  const body = (await requestBody(exchange.request, parameterBody(deps))) as Buffer | null
  const form = body?.toString() ?? ''
  const question = await linkedQuestion(deps, exchange, passage, form)
  const leave = deps.capacity.enter(service, 'request')
  let status: number | undefined
  try {
    status = await new LinkedRequest(exchange, {
      replicas: deps.upstreams.of(service),
      question,
      patience: deps.limits.answer,
      load: loads.brief,
      isRepeatable: false,
    }).status
  } finally {
    leave()
  }
  return status ?? passOn(deps, exchange, { ...passage, form })
}
