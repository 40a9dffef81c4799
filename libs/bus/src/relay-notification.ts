import type { Database } from '@parley/db'

export const notificationChannel = 'outbox'

/**
 * Tells the active relay, in another process, that something was committed. At most one call is under way: commits that
 * come meanwhile share the next one. Outside of the writer's transaction, because a NOTIFY inside holds a lock of the
 * whole cluster while it commits. A lost call costs the relay's fallback poll, nothing else.
 */
export const relayNotification = (database: Database): (() => void) => {
  let isUnderWay = false
  let isWanted = false
  const call = async (): Promise<void> => {
    isUnderWay = true
    while (isWanted) {
      isWanted = false
      await database.sql`SELECT pg_notify(${notificationChannel}, '')`.catch(() => {})
    }
    isUnderWay = false
  }
  return () => {
    isWanted = true
    if (!isUnderWay) void call()
  }
}
