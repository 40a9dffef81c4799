import { ownDatabase } from '@parley/testkit/own-database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { skipIds } from './skip-ids.ts'

let own: Awaited<ReturnType<typeof ownDatabase>>
beforeAll(async () => {
  own = await ownDatabase('gateway')
})
afterAll(() => own.drop())

it('after a restore every sequence goes on above what it may have given out, used or not', async () => {
  const { sql } = own.database
  await sql`CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY, text text)`
  await sql`CREATE SEQUENCE "odd name"`
  await sql`INSERT INTO notes (text) VALUES ('a'), ('b')`
  await sql`INSERT INTO inbox (consumer, topic, partition, next_offset) VALUES ('c', 't', 0, 7)`
  const skipped = await skipIds({ databaseUrl: own.url, gap: 500 })
  expect(skipped).toMatchObject({ notes_id_seq: 502, 'odd name': 501 })
  const [row] = await sql`INSERT INTO notes (text) VALUES ('c') RETURNING id, nextval('"odd name"') AS odd`
  expect(row).toEqual({ id: 503, odd: 502 })
  expect((await sql`SELECT FROM inbox`).length).toBe(1)

  await skipIds({ databaseUrl: own.url, gap: 500, forgetPositions: true })
  expect((await sql`INSERT INTO notes (text) VALUES ('d') RETURNING id`)[0]).toEqual({ id: 1004 })
  expect((await sql`SELECT FROM inbox`).length).toBe(0)
})
