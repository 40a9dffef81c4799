import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import { forgetFoundings } from '../foundings/founding-store.ts'
import type { Log } from '../room.ts'
import { forgetMails } from './mail-store.ts'

const everyMilliseconds = 10 * 60 * 1000
const batch = 1000

/** Keeps the table of mails to what is counted or waits, and that of organizations to be made to what still can be. Any process may; those who meet pass over each other's rows. */
export const forgetOldMails = (database: Database, log: Log): Running => {
  let working = Promise.resolve()
  const work = async (): Promise<void> => {
    try {
      while ((await forgetMails(database.sql, batch)) === batch);
      while ((await forgetFoundings(database.sql, batch)) === batch);
    } catch (error) {
      log.warn({ err: error }, 'old mails and foundings could not be removed')
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
