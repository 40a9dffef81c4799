import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { forgetLocalIds } from './send-store.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

it('forgets local IDs once they are old, a few at a time', async () => {
  const { sql } = room.deps.database
  await sql`
    INSERT INTO sent_local_ids SELECT 1, 'q', n::text, n, now() - make_interval(hours => n)
    FROM generate_series(20, 29) AS n`
  expect(await forgetLocalIds(sql, 24, 4)).toBe(4)
  expect(await forgetLocalIds(sql, 24, 4)).toBe(2)
  const left = await sql<{ message_id: number }[]>`SELECT message_id FROM sent_local_ids ORDER BY message_id`
  expect(left.map((row) => row.message_id)).toEqual([20, 21, 22, 23])
})
