import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import { LRUCache } from 'lru-cache'

const remembered = 500_000
/** So long the first acts of a day are collected before they are written down. */
const pauseMilliseconds = 500

/** Notes on which days people do something. Costs a look into memory per request, and a row per person and day. */
export interface UserActivity extends Running {
  note(userId: number): void
}

const today = (): number => Math.floor(Date.now() / 86_400_000)

/** What cannot be written is noted again at the person's next act. */
export const userActivity = (
  database: Database,
  log: { warn(details: object, message: string): void },
): UserActivity => {
  const known = new LRUCache<number, number>({ max: remembered })
  const fresh = new Set<number>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const write = async (): Promise<void> => {
    const ids = [...fresh].sort((a, b) => a - b)
    fresh.clear()
    try {
      await database.guard(database.sql`
        INSERT INTO user_activity (user_id, last_day) SELECT unnest(${ids}::bigint[]), current_date
        ON CONFLICT (user_id) DO UPDATE SET last_day = excluded.last_day
        WHERE user_activity.last_day < excluded.last_day`)
    } catch (error) {
      for (const id of ids) known.delete(id)
      log.warn({ err: error }, 'who was active is noted later')
    }
  }
  const flush = (): void => {
    timer = undefined
    writing = writing.then(write)
  }
  return {
    note(userId) {
      const day = today()
      if (known.get(userId) === day) return
      known.set(userId, day)
      fresh.add(userId)
      if (timer !== undefined) return
      timer = setTimeout(flush, pauseMilliseconds)
      timer.unref()
    },
    async stop() {
      clearTimeout(timer)
      if (fresh.size > 0) flush()
      await writing
    },
  }
}
