import { EngineUnavailableError } from '@parley/contracts'
import { type Ask, inTransaction } from '@parley/kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUserGroup } from './groups/create-user-group.ts'
import { updateUserGroupMembers } from './groups/update-user-group-members.ts'
import { type News, newsWait } from './news.ts'
import { openTestOrganization, type TestOrganization } from './test-people.ts'
import { openTestRoom, type TestRoom } from './test-room.ts'
import { changeAvatar } from './users/change-avatar.ts'

let room: TestRoom
let organization: TestOrganization
let waits: [number, readonly News[]][] = []
beforeAll(async () => {
  room = await openTestRoom({ newsWait: async (realmId, news) => void waits.push([realmId, news]) })
  organization = await openTestOrganization(room)
})
afterAll(() => room.close())

describe('an answer', () => {
  it('waits until what it changed is known, and for nothing else', async () => {
    const { people, realm } = organization
    const wish = { name: 'ops', description: '', members: '[]' }
    const { group_id } = await room.call(createUserGroup, people.owner, wish)
    const [[realmId, news]] = waits as [(typeof waits)[number]]
    expect([realmId, news.map(({ topic, id }) => [topic, id])]).toEqual([
      realm.id,
      [['identity.groups', group_id]],
    ])
    const { version } = news[0]!
    waits = []
    const add = { add: JSON.stringify([people.member.user.id]) }
    await room.call(updateUserGroupMembers, people.owner, add, { user_group_id: String(group_id) })
    expect(waits[0]![1].at(-1)).toEqual({ topic: 'identity.groups', id: group_id, version: version + 1 })
    waits = []
    await expect(room.call(createUserGroup, people.guest, wish)).rejects.toThrow()
    expect(waits).toEqual([])
  })
})

it('the answer to uploads, who changed a picture, waits too', async () => {
  waits = []
  const { people, realm } = organization
  const { id } = people.member.user
  const change = (is_uploaded: boolean) =>
    changeAvatar.handle({
      input: { realm_id: realm.id, user_id: id, is_uploaded },
      deps: room.deps,
      transaction: (work: never) => inTransaction(room.deps.database, work),
    } as never)
  await change(true)
  expect(waits).toEqual([[realm.id, [{ topic: 'identity.users', id, version: expect.any(Number) }]]])
  waits = []
  await change(false)
  await change(false)
  expect(waits.map(([, news]) => news.length)).toEqual([1, 0])
})

describe('waiting', () => {
  const news: News[] = [{ topic: 'identity.users', id: 1, version: 1 }]
  /** Who takes so many milliseconds for each answer. */
  const asking = (answer: () => boolean, milliseconds = 0) => {
    let [asked, time] = [0, 0]
    const ask = (async () => {
      asked += 1
      time += milliseconds
      return { have_come: answer() }
    }) as unknown as Ask
    const pass = (passing: number): void => {
      time += passing
    }
    return { wait: newsWait(ask, () => time), asked: () => asked, pass }
  }

  it('asks each time while it is worth it, and never when there is nothing or too much', async () => {
    const { wait, asked } = asking(() => true)
    await wait(7, news)
    await wait(7, news)
    await wait(7, [])
    await wait(7, Array<News>(201).fill(news[0]!))
    expect(asked()).toBe(2)
  })

  it.each([
    ['the news does not come', () => false],
    [
      'nobody answers',
      () => {
        throw new EngineUnavailableError('channels')
      },
    ],
  ])('keeps others for a tenth of the time at most when %s', async (_why, answer) => {
    const { wait, asked, pass } = asking(answer, 800)
    await wait(7, news)
    pass(7900)
    await wait(7, news)
    expect(asked()).toBe(1)
    pass(200)
    await wait(7, news)
    expect(asked()).toBe(2)
  })

  it('is on again at once after a refusal that took no time: a process was replaced', async () => {
    const { wait, asked, pass } = asking(() => false, 2)
    await wait(7, news)
    pass(21)
    await wait(7, news)
    expect(asked()).toBe(2)
  })
})
