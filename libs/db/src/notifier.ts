import type { Database } from './database.ts'

/**
 * Tells whoever listens on a channel (LISTEN) of something that was committed: a text, or nothing more than that. At most
 * one call is under way: what comes meanwhile shares the next one, and the same text is told once. Outside of the writer's
 * transaction, because a NOTIFY inside holds a lock of the whole cluster while it commits. A lost call is not made up for:
 * who waits looks again from time to time.
 */
export const notifier = (database: Pick<Database, 'sql'>, channel: string): ((text?: string) => void) => {
  const wanted = new Set<string>()
  let isUnderWay = false
  const call = async (): Promise<void> => {
    isUnderWay = true
    while (wanted.size > 0) {
      const texts = [...wanted]
      wanted.clear()
      await database.sql`
        SELECT pg_notify(${channel}, text) FROM unnest(${texts}::text[]) AS text`.catch(() => {})
    }
    isUnderWay = false
  }
  return (text = '') => {
    wanted.add(text)
    if (!isUnderWay) void call()
  }
}
