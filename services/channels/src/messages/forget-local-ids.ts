import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import { forgetLocalIds } from './send-store.ts'

/** Clients repeat a request for minutes; a day is generous. */
const keptHours = 24
const rowsAtATime = 5000
const pauseMilliseconds = 10 * 60_000

/** Clears the memory of repeated sends, a little at a time; several processes may do it at once. */
export const forgetOldLocalIds = (
  database: Database,
  log: { warn(details: object, message: string): void },
): Running => {
  let timer: NodeJS.Timeout | undefined
  let isStopping = false
  const round = async (): Promise<void> => {
    try {
      while (!isStopping) {
        const forgotten = await database.guard(forgetLocalIds(database.sql, keptHours, rowsAtATime))
        if (forgotten < rowsAtATime) break
      }
    } catch (error) {
      log.warn({ err: error }, 'old local IDs stay until the next round')
    }
    if (isStopping) return
    timer = setTimeout(() => {
      current = round()
    }, pauseMilliseconds)
    timer.unref()
  }
  let current = round()
  return {
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await current
    },
  }
}
