import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import type { Log } from '../room.ts'
import { forgetDeliveries } from './delivery-store.ts'

const everyMilliseconds = 10 * 60 * 1000
const batch = 2000

/** Keeps the log to its length. Any process may; those who meet pass over each other's rows. */
export const forgetOldDeliveries = (database: Database, days: number, log: Log): Running => {
  let working = Promise.resolve()
  const work = async (): Promise<void> => {
    try {
      while ((await forgetDeliveries(database.sql, days, batch)) === batch);
    } catch (error) {
      log.warn({ err: error }, 'old deliveries could not be removed')
    }
  }
  const timer = setInterval(() => {
    working = work()
  }, everyMilliseconds)
  return {
    async stop() {
      clearInterval(timer)
      await working
    },
  }
}
