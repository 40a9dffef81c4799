import { EngineUnavailableError } from '@parley/contracts'
import { ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, openDatabase } from './database.ts'

let own: Awaited<ReturnType<typeof ownDatabase>>
let database: Database
beforeAll(async () => {
  own = await ownDatabase('gateway')
  database = await openDatabase({ url: own.url, service: 'single', poolSize: 5, statementMilliseconds: 1000 })
})
afterAll(() => own.drop())

const sessionOf = async (sql: Database['sql']): Promise<number> => {
  const [session] = await sql<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`
  return session.pid
}

it('has one session for all of its statements, which is none of the pool', async () => {
  const sql = database.single()
  const sessions = new Set(await Promise.all(Array.from({ length: 10 }, () => sessionOf(sql))))
  sessions.add(await sessionOf(sql))
  expect(sessions.size).toBe(1)
  const [pooled] = await Promise.all([sessionOf(database.sql), database.sql`SELECT pg_sleep(0.05)`])
  expect(sessions).not.toContain(pooled)
})

it('fails as the pool does: a session that was ended, or is too slow, and then serves again', async () => {
  const sql = database.single()
  await own.database.sql`SELECT pg_terminate_backend(${await sessionOf(sql)}::int)`
  await expect.poll(() => sessionOf(sql).catch(() => 0)).toBeGreaterThan(0)
  await expect(sql`SELECT pg_sleep(30)`).rejects.toBeInstanceOf(EngineUnavailableError)
  expect(await sessionOf(sql)).toBeGreaterThan(0)
})

it('ends with its database', async () => {
  const session = await sessionOf(database.single())
  await database.close()
  await expect
    .poll(() =>
      own.database.sql`SELECT FROM pg_stat_activity WHERE pid = ${session}`.then(({ count }) => count),
    )
    .toBe(0)
})
