import { companyTopic } from '@parley/contracts/channels/topics'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestRoom, type TestRoom } from '../test-room.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

it('makes a conversation, and tells that guests know each other by it, while transactions hold all their places', async () => {
  await room.settle({ can_access_all_users_group: room.realm.system_groups['role:members'] })
  const [anna, ben] = [await room.person('guest'), await room.person()]
  const people = [anna.user.id, ben.user.id]
  const { database, conversations } = room.deps
  const found = await Promise.all(
    Array.from({ length: 20 }, () =>
      database.transaction(async (tx) => {
        await tx.sql`SELECT 1`
        return conversations.recipientId(room.realm.id, people)
      }),
    ),
  )
  expect(new Set(found).size).toBe(1)
  const told = (await room.announced()).filter(({ topic }) => topic === companyTopic.name)
  expect(told.map(({ value }) => value)).toEqual([{ realm_id: room.realm.id, user_ids: people }])
})
