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
  /**
   * The same for a registration, of which a few are under way at a time and the others wait in their order: when all clients
   * lose their queues at once, none of them has anything better to do than to wait.
   *
   * @throws ApiError SERVER_NOT_READY when the line is full, somebody has stood in it for too long, or has left.
   */
  register(service: ServiceName, client: Leaving): Promise<() => void>
}

/** Somebody who may go away. */
interface Leaving {
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

/** Registrations under way: more would only share the same processors, and each would take longer. */
const registrationsAtOnce = 64
/** Registrations that may stand in line, and seconds after which a client would have given up anyway. */
const [longestLine, patience] = [20_000, 50]

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
  const enter: Capacity['enter'] = (service, kind) => {
    const key = `${service} ${kind}`
    const count = counts.get(key) ?? 0
    if (count >= (kind === 'poll' ? limits.polls : limits.requestsPerService)) throw full()
    counts.set(key, count + 1)
    underWay.inc({ service, kind })
    return () => {
      counts.set(key, (counts.get(key) ?? 1) - 1)
      underWay.dec({ service, kind })
    }
  }

  /** Whose turn it is next; a set, so that whoever leaves is out of it at once. */
  const line = new Set<() => void>()
  let registering = 0
  const leave = (): void => {
    registering -= 1
    const [next] = line
    next?.()
  }
  const turn = (service: ServiceName, client: Leaving): Promise<void> => {
    if (registering < registrationsAtOnce) {
      registering += 1
      return Promise.resolve()
    }
    if (line.size >= longestLine) throw full()
    return new Promise((resolve, reject) => {
      const over = (): void => {
        line.delete(go)
        clearTimeout(timer)
        client.off('close', giveUp)
        underWay.dec({ service, kind: 'waiting' })
      }
      const go = (): void => {
        over()
        registering += 1
        resolve()
      }
      const giveUp = (): void => {
        over()
        reject(full())
      }
      const timer = setTimeout(giveUp, patience * 1000)
      client.once('close', giveUp)
      underWay.inc({ service, kind: 'waiting' })
      line.add(go)
    })
  }

  return {
    enter,
    async register(service, client) {
      await turn(service, client)
      try {
        const done = enter(service, 'request')
        return () => {
          done()
          leave()
        }
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}
