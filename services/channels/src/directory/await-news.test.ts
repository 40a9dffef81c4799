import type { UserFact } from '@parley/contracts/identity/topics'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { awaitNews } from './await-news.ts'
import { takeInUser } from './on-user-changed.ts'
import { saveRealm } from './realm-store.ts'

let room: TestRoom
let known: UserFact
beforeAll(async () => {
  room = await openTestRoom()
  const anna = await room.person()
  known = (await room.deps.users.byIds(room.realm.id, [anna.user.id])).get(anna.user.id)!
})
afterAll(() => room.close())

const waitFor = (news: { topic: 'identity.users' | 'identity.realms'; id: number; version: number }[]) =>
  awaitNews.handle({ input: { realm_id: room.realm.id, news }, deps: room.deps } as never)

it('answers when the copies have come so far, and this process acts by them', async () => {
  const { id, version } = known
  expect(await waitFor([{ topic: 'identity.users', id, version }])).toEqual({ have_come: true })
  let hasCome = false
  const both = waitFor([
    { topic: 'identity.users', id, version: version + 1 },
    { topic: 'identity.realms', id: room.realm.id, version: room.realm.version + 1 },
  ]).then((answer) => {
    hasCome = true
    return answer
  })
  const { sql } = room.deps.database
  await takeInUser(sql, { ...known, full_name: 'Changed', version: version + 1 })
  await waitFor([{ topic: 'identity.users', id, version }])
  expect(hasCome).toBe(false)
  await saveRealm(sql, { ...room.realm, name: 'Changed', version: room.realm.version + 1 })
  expect(await both).toEqual({ have_come: true })
  expect((await room.deps.users.byIds(room.realm.id, [id])).get(id)!.full_name).toBe('Changed')
  expect((await room.deps.realms.get(room.realm.id)).name).toBe('Changed')
})

it('answers before long when they do not come', async () => {
  const news = [{ topic: 'identity.users' as const, id: known.id, version: known.version + 99 }]
  expect(await waitFor(news)).toEqual({ have_come: false })
})
