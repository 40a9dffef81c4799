import { ApiError, type ServiceName } from '@parley/contracts'
import { Gauge } from 'prom-client'

const underWay = new Gauge({
  name: 'parley_gateway_requests_under_way',
  help: 'Requests that wait for an answer of a service.',
  labelNames: ['service', 'kind'],
})

/** How much work the gateway takes on before it says that it is full. */
export interface Capacity {
  /**
   * Counts a request in, until the returned function is called.
   *
   * @throws ApiError SERVER_NOT_READY when as many are waiting as may.
   */
  enter(service: ServiceName, kind: 'request' | 'poll'): () => void
}

const full = (): ApiError =>
  new ApiError(
    'SERVER_NOT_READY',
    'The server is too busy right now. Please try again.',
    {},
    { 'retry-after': '1' },
  )

/**
 * Requests are counted per service, so that a slow one fills only its own share. Polls are counted apart, and against
 * a bound of their own: load turns ordinary requests away long before it touches a poll.
 */
export const capacity = (limits: { requestsPerService: number; polls: number }): Capacity => {
  const counts = new Map<string, number>()
  return {
    enter(service, kind) {
      const key = `${service} ${kind}`
      const count = counts.get(key) ?? 0
      if (count >= (kind === 'poll' ? limits.polls : limits.requestsPerService)) throw full()
      counts.set(key, count + 1)
      underWay.inc({ service, kind })
      return () => {
        counts.set(key, (counts.get(key) ?? 1) - 1)
        underWay.dec({ service, kind })
      }
    },
  }
}
