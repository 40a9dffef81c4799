import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase, type Sql } from '@parley/db'
import { type StackAddress, succeeded, World } from '@parley/testkit'

/** What one stored message costs the database of channels, however many receive it. */
interface SendWrites {
  readonly subscribers: number
  /** Rows written: messages, announcements, positions. */
  readonly rows: number
  /** Bytes of its write-ahead log. */
  readonly bytes: number
}

/** Milliseconds after which the server's counters, and what the relay has to do, are complete. */
const settling = 3000

const written = async (sql: Sql): Promise<{ rows: number; bytes: number }> => {
  await pause(settling)
  const [row] = await sql<[{ rows: number; bytes: number }]>`
    SELECT sum(n_tup_ins)::float8 AS rows, (pg_current_wal_lsn() - '0/0')::float8 AS bytes FROM pg_stat_user_tables`
  return row
}

/** For channels of so many subscribers: the same sends, one after the other. */
export const sendWrites = async (
  stack: StackAddress,
  databaseUrl: string,
  sizes: readonly number[],
  sends: number,
): Promise<SendWrites[]> => {
  const database = await openDatabase({ url: databaseUrl, service: 'bench', poolSize: 1 })
  const costs: SendWrites[] = []
  try {
    for (const subscribers of sizes) {
      const world = await World.create(stack)
      const sender = await world.user()
      const principals = [sender.id]
      while (principals.length < subscribers) {
        const some = Math.min(50, subscribers - principals.length)
        const users = await Promise.all(Array.from({ length: some }, () => world.user()))
        principals.push(...users.map(({ id }) => id))
      }
      await succeeded(
        sender.post('/users/me/subscriptions', { subscriptions: [{ name: 'all' }], principals }),
      )
      const send = () =>
        succeeded(
          sender.post('/messages', { type: 'channel', to: 'all', topic: 'load', content: 'as people write' }),
        )
      await send()
      const before = await written(database.sql)
      for (let n = 0; n < sends; n += 1) await send()
      const after = await written(database.sql)
      const [rows, bytes] = [(after.rows - before.rows) / sends, (after.bytes - before.bytes) / sends]
      costs.push({ subscribers, rows, bytes })
    }
  } finally {
    await database.close()
  }
  return costs
}
