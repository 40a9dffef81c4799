import { openDatabase } from './database.ts'

/** IDs that are left out unless somebody says how many: ten million, which is 115 a second for a day. */
export const ordinaryGap = 10_000_000

/**
 * Has a service's database that was restored from a backup give out no ID again that it may have given out after that backup
 * was taken: every sequence jumps. Nobody may use the database meanwhile. Doing it twice costs IDs only.
 * `forgetPositions`: also forgets how far its consumers were, which means nothing when the log is a new one.
 *
 * @throws EngineUnavailableError
 */
export const skipIds = async (options: {
  databaseUrl: string
  gap?: number
  forgetPositions?: boolean
}): Promise<Record<string, number>> => {
  const { databaseUrl, gap = ordinaryGap, forgetPositions = false } = options
  const database = await openDatabase({ url: databaseUrl, service: 'skip-ids', poolSize: 1 })
  try {
    const next = await database.sql<{ name: string; next: number }[]>`
      SELECT sequencename AS name,
             setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, start_value) + ${gap}::bigint)
               AS next
      FROM pg_sequences WHERE schemaname = 'public'`
    if (forgetPositions) await database.sql`DELETE FROM inbox`
    return Object.fromEntries(next.map((row) => [row.name, row.next]))
  } finally {
    await database.close()
  }
}
