import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import type { Queries } from '../room.ts'

/** The figure is one of weeks, so some minutes more or less do not show. */
const pauseMilliseconds = 10 * 60_000
const messagesAtATime = 100_000
/** Days that are kept: those that an average is made of, and some. */
const keptDays = 35

/**
 * Counts messages that came since the last time, at most `limit` of them. Sends pay nothing for it. IDs ascend in commit
 * order only within an organization, so the newest are left until every send that has drawn a lower one is over.
 *
 * @returns how many messages there were to count.
 */
export const countTraffic = async (sql: Queries, limit: number): Promise<number> => {
  const [counted] = await sql<{ messages: number }[]>`
    WITH progress AS (
      SELECT counted_until AS since FROM traffic_progress FOR UPDATE SKIP LOCKED
    ), fresh AS MATERIALIZED (
      SELECT m.id, m.channel_id, m.sent_at FROM messages m, progress
      WHERE m.id > progress.since AND m.sent_at < now() - interval '1 minute'
      ORDER BY m.id LIMIT ${limit}
    ), added AS (
      INSERT INTO channel_traffic (channel_id, day, messages)
      SELECT channel_id, (sent_at AT TIME ZONE 'UTC')::date, count(*) FROM fresh
      WHERE channel_id IS NOT NULL AND sent_at > now() - make_interval(days => ${keptDays})
      GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (channel_id, day) DO UPDATE SET messages = channel_traffic.messages + excluded.messages
    ), moved AS (
      UPDATE traffic_progress SET counted_until = (SELECT max(id) FROM fresh) WHERE EXISTS (SELECT FROM fresh)
    ), old AS (
      DELETE FROM channel_traffic WHERE day < current_date - ${keptDays}::int
    )
    SELECT count(*) AS messages FROM fresh`
  return counted!.messages
}

/** Counts now and then; of several processes one does it at a time. */
export const followTraffic = (
  database: Database,
  log: { warn(details: object, message: string): void },
): Running => {
  let timer: NodeJS.Timeout | undefined
  let isStopping = false
  const round = async (): Promise<void> => {
    try {
      while (!isStopping) {
        const counted = await database.guard(countTraffic(database.sql, messagesAtATime))
        if (counted < messagesAtATime) break
      }
    } catch (error) {
      log.warn({ err: error }, 'traffic is counted in the next round')
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
