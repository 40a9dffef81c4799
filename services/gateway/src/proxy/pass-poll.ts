import { answerJson } from '../answers/answer.ts'
import type { Exchange } from '../exchange.ts'
import type { Deps } from '../room.ts'
import { earlyHeartbeat } from './early-heartbeat.ts'
import { loads } from './link-pool.ts'
import { LinkedRequest } from './linked-request.ts'
import { linkedQuestion, type Passage, passOn, pollTimeout } from './pass-on.ts'
import { requestBody } from './request-body.ts'

/**
 * Hands a long-poll to its service over a link to one of the replicas, so that waiting costs no connection there. What
 * the service does not want to answer on a link goes the ordinary way.
 *
 * @returns the status that was answered.
 * @throws what `passOn` throws.
 */
export const passPoll = async (deps: Deps, exchange: Exchange, passage: Passage): Promise<number> => {
  const { request } = exchange
  const { service } = passage.route
  // A client that was faster than the end of its connection.
  if (deps.exchanges.isDraining) return answerJson(exchange, earlyHeartbeat(request.url ?? ''))
  // A GET's parameters are in its query; whatever else came with it is not looked at.
  await requestBody(request, { bytes: deps.limits.body, time: undefined })
  const question = await linkedQuestion(deps, exchange, passage)
  const leave = deps.capacity.enter(service, 'poll')
  let status: number | undefined
  try {
    const replicas = deps.upstreams.of(service)
    const poll = new LinkedRequest(exchange, {
      replicas,
      question,
      patience: pollTimeout,
      load: loads.poll,
      isRepeatable: true,
    })
    exchange.answerEarly = () =>
      poll.answerInstead(() => answerJson(exchange, earlyHeartbeat(request.url ?? '')))
    status = await poll.status
  } finally {
    exchange.answerEarly = undefined
    leave()
  }
  return status ?? passOn(deps, exchange, passage)
}
