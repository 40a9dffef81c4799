/**
 * The CPU time of the cheapest of a few runs, in ms. Not the time on the clock, which on a busy machine says more
 * about the other processes.
 */
export function cpuTime(runs: number, work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}
