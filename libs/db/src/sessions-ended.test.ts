import { EngineUnavailableError } from '@parley/contracts'
import { ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from './database.ts'

let own: Awaited<ReturnType<typeof ownDatabase>>
beforeAll(async () => {
  own = await ownDatabase('gateway')
  await own.database.sql`CREATE TABLE notes (id int PRIMARY KEY)`
})
afterAll(() => own.drop())

it('while all sessions are ended again and again, each change is there with its announcement, or neither is', async () => {
  const database = await openDatabase({ url: own.url, service: 'ended', poolSize: 5 })
  const acknowledged: number[] = []
  const surprises: unknown[] = []
  let next = 0
  let isOver = false
  const note = async (id: number): Promise<void> => {
    if (id % 3 === 0) {
      await database.sql`
        WITH written AS (INSERT INTO notes VALUES (${id}) RETURNING id)
        INSERT INTO outbox (topic, key, value) SELECT 'notes', id::text, 'true' FROM written`
      return
    }
    await database.transaction(async (tx) => {
      tx.enqueue({ topic: 'notes', key: String(id), value: 'true' })
      await tx.sql`INSERT INTO notes VALUES (${id})`
      // Past itself, as a change looks up an account that its process has not met.
      await database.sql`SELECT count(*) FROM notes`
      if (id % 5 === 0) throw new Error('refused')
    })
    await database.snapshot((sql) => sql`SELECT count(*) FROM notes`)
  }
  const writer = async (): Promise<void> => {
    while (!isOver) {
      const id = next++
      try {
        await note(id)
        acknowledged.push(id)
      } catch (error) {
        if (!(error instanceof EngineUnavailableError) && (error as Error).message !== 'refused')
          surprises.push(error)
      }
    }
  }
  const writers = Promise.all([writer(), writer(), writer(), writer()])
  let ended = 0
  for (let rounds = 0; rounds < 15; rounds += 1) {
    const before = acknowledged.length
    await expect.poll(() => acknowledged.length, { interval: 5, timeout: 20_000 }).toBeGreaterThan(before + 3)
    const rows = await own.database.sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'ended' AND datname = current_database()`
    ended += rows.length
  }
  isOver = true
  await writers
  await database.close()

  expect(surprises).toEqual([])
  expect(ended).toBeGreaterThan(15)
  const notes = (await own.database.sql<{ id: number }[]>`SELECT id FROM notes`).map((row) => row.id)
  const announced = (await own.database.sql<{ key: number }[]>`SELECT key::int FROM outbox`).map(
    (row) => row.key,
  )
  expect(announced.sort((a, b) => a - b)).toEqual(notes.sort((a, b) => a - b))
  expect(acknowledged.filter((id) => !notes.includes(id))).toEqual([])
  expect(notes.filter((id) => id % 3 !== 0 && id % 5 === 0)).toEqual([])
})
