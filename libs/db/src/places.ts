/**
 * How many transactions may have a connection of the pool at a time: not all of them. A transaction may have to look up
 * something past itself (an account that this process has not met yet); if transactions held every connection, each
 * would wait for one that another holds, until the server ends them all. Single statements hold a connection no longer
 * than they run, so what is left over for them is always free soon.
 */
export interface Places {
  /** A place, now or later; it is given back once, also when it was never waited for. */
  take(): { readonly taken: Promise<void>; leave(): void }
}

/** Of `poolSize` connections one in five, at least one, is for single statements; a pool of one has none to spare. */
export const transactionsAtATime = (poolSize: number): number =>
  Math.max(1, poolSize - Math.max(1, Math.floor(poolSize / 5)))

export const places = (count: number): Places => {
  let free = count
  const waiting = new Set<() => void>()
  return {
    take() {
      const { promise: taken, resolve } = Promise.withResolvers<void>()
      if (free > 0) {
        free -= 1
        resolve()
      } else waiting.add(resolve)
      return {
        taken,
        leave() {
          if (waiting.delete(resolve)) return
          const [next] = waiting
          if (next === undefined) free += 1
          else {
            waiting.delete(next)
            next()
          }
        },
      }
    },
  }
}
