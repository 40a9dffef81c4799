import { ApiError } from '@parley/contracts'

export interface Bounds {
  /** How many run at once. */
  readonly running: number
  /** How many may wait for their turn. */
  readonly waiting: number
  /** Milliseconds that one waits for its turn. */
  readonly patience: number
}

export type Bounded = <T>(work: () => Promise<T>) => Promise<T>

/** Seconds after which a client that was turned away may come again. */
const retryAfter = 2

const tooBusy = (): ApiError =>
  new ApiError(
    'SERVER_NOT_READY',
    'Too many people are logging in right now. Please try again.',
    {},
    { 'retry-after': String(retryAfter) },
  )

/**
 * Lets only so much work run at once; the rest waits in order.
 *
 * @returns a function that throws ApiError SERVER_NOT_READY when too many wait already, or a turn takes too long to come.
 */
export const bounded = ({ running, waiting, patience }: Bounds): Bounded => {
  let free = running
  const queue = new Set<() => void>()

  const turn = (): Promise<void> => {
    if (free > 0) {
      free -= 1
      return Promise.resolve()
    }
    if (queue.size >= waiting) return Promise.reject(tooBusy())
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        queue.delete(enter)
        reject(tooBusy())
      }, patience)
      queue.add(enter)
    })
  }

  const leave = (): void => {
    const [next] = queue
    if (next === undefined) {
      free += 1
      return
    }
    queue.delete(next)
    next()
  }

  return async (work) => {
    await turn()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
