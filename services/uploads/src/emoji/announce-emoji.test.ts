import { inTransaction } from '@parley/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { announceEmoji } from './announce-emoji.ts'
import { byId, emojiOfRealm, insertEmoji } from './emoji-store.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

it('tells all emoji of an organization, however many are added at once', async () => {
  const realm_id = 7
  const add = (n: number) =>
    inTransaction(room.deps.database, async (tx) => {
      const row = { realm_id, name: `emoji_${n}`, author_id: 1, file: `${n}.png`, still_file: null }
      const emoji = (await insertEmoji(tx.sql, row))!
      await announceEmoji(tx, realm_id, emoji, { emoji })
    })
  await Promise.all(Array.from({ length: 8 }, (_, n) => add(n)))
  const told = (await room.announced()).filter(({ topic }) => topic === 'client-events')
  expect(told).toHaveLength(8)
  expect(told.at(-1)!.value.realm_emoji).toEqual(byId(await emojiOfRealm(room.deps.database.sql, realm_id)))
})
