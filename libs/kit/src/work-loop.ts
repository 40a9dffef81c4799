import type { Running } from './service.ts'

interface Log {
  warn(details: object, message: string): void
}

/** Work that waits in a table, done by whichever process takes it. */
export interface WorkLoop extends Running {
  /** There may be something to do now. */
  wake(): void
}

/** Milliseconds after which is looked for work that nobody told of: of another process, or postponed. */
const scanMilliseconds = 1000
const batch = 20

/**
 * Takes what is due, a batch at a time, and does it. `claim` holds each task by a lease, so that whoever dies with it
 * leaves it to others; `perform` removes or postpones it, and what it throws is logged: the task is due again after its
 * lease.
 */
export const workLoop = <Task>(parts: {
  /** As in "<what> waits", for the log. */
  what: string
  claim: (limit: number) => Promise<readonly Task[]>
  perform: (task: Task) => Promise<void>
  log: Log
}): WorkLoop => {
  const { what, claim, perform, log } = parts
  let isWorking = false
  let isWanted = true
  let isStopping = false
  let finished = Promise.resolve()

  const work = async (): Promise<void> => {
    while (isWanted && !isStopping) {
      isWanted = false
      const tasks = await claim(batch)
      const outcomes = await Promise.allSettled(tasks.map(perform))
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, `${what} waits`)
      }
      if (tasks.length === batch) isWanted = true
    }
  }

  const wake = (): void => {
    isWanted = true
    if (isWorking || isStopping) return
    isWorking = true
    finished = work()
      .catch((error) => log.warn({ err: error }, `${what} could not be taken`))
      .finally(() => {
        isWorking = false
      })
  }
  const scan = setInterval(wake, scanMilliseconds)
  return {
    wake,
    async stop() {
      isStopping = true
      clearInterval(scan)
      await finished
    },
  }
}
