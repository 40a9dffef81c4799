import type { InputOf } from '@parley/contracts'
import type { awaitNews as contract } from '@parley/contracts/channels/internals'
import type { GroupFact, PersonalFact, RealmFact, UserFact } from '@parley/contracts/identity/topics'
import { inTransaction, type Tx } from '@parley/kit'
import { eventually } from '@parley/testkit/eventually'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followGroup } from '../permissions/on-group-changed.ts'
import type { Deps } from '../room.ts'
import { openTestRoom, type TestRoom, testDeps } from '../test-room.ts'
import { awaitNews } from './await-news.ts'
import { takeInPersonal } from './on-personal-changed.ts'
import { followRealm } from './on-realm-changed.ts'
import { followUser, takeInUser } from './on-user-changed.ts'
import { saveRealm } from './realm-store.ts'

type News = InputOf<typeof contract>['news'][number]

let room: TestRoom
let known: UserFact
let groupId: number
beforeAll(async () => {
  room = await openTestRoom()
  const anna = await room.person()
  known = (await room.deps.users.byIds(room.realm.id, [anna.user.id])).get(anna.user.id)!
  groupId = await room.group({})
})
afterAll(async () => {
  await room.deps.newsBell.stop()
  await room.close()
})

const waitFor = (news: News[], deps = room.deps) =>
  awaitNews.handle({ input: { realm_id: room.realm.id, news }, deps } as never) as Promise<{
    have_come: boolean
  }>

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
  // Nobody rings: what is lost on the way is found all the same.
  await saveRealm(sql, { ...room.realm, name: 'Changed', version: room.realm.version + 1 })
  expect(await both).toEqual({ have_come: true })
  expect((await room.deps.users.byIds(room.realm.id, [id])).get(id)!.full_name).toBe('Changed')
  expect((await room.deps.realms.get(room.realm.id)).name).toBe('Changed')
})

it('answers before long when they do not come', async () => {
  const news = [{ topic: 'identity.users' as const, id: known.id, version: known.version + 99 }]
  expect(await waitFor(news)).toEqual({ have_come: false })
})

describe('who waits is woken', () => {
  /** Takes in a state as the consumer of its topic does. */
  const takeIn = (by: Deps, { topic, id, version }: News) =>
    inTransaction(by.database, async (tx: Tx) => {
      const what = { id, realm_id: room.realm.id, version }
      if (topic === 'identity.users') return followUser(tx, by, { ...known, version })
      if (topic === 'identity.realms') {
        return followRealm(tx, by, { ...room.realm, uuid: 'u', version } satisfies RealmFact)
      }
      if (topic === 'identity.personal') {
        const nothing = { settings: {}, alert_words: [], muted_user_ids: [] }
        return takeInPersonal(by, tx as never, { ...what, ...nothing } satisfies PersonalFact)
      }
      const nobody = { is_system_group: false, is_active: true, member_ids: [], subgroup_ids: [] }
      const group = { ...what, ...nobody, name: 'x', can_mention_group: groupId } satisfies GroupFact
      return followGroup(tx, by, group)
    })

  /** Milliseconds from a look in vain, after which news is stored, to the answer; and in how many looks it was found. */
  const timeOf = async (one: News, storing: Deps) => {
    const { database } = room.deps
    const looked = Promise.withResolvers<void>()
    let looks = 0
    const guard: typeof database.guard = async (query) => {
      const rows = await database.guard(query)
      looks += 1
      looked.resolve()
      return rows
    }
    const deps: Deps = Object.create(room.deps, { database: { value: { ...database, guard } } })
    const answer = waitFor([one], deps)
    await looked.promise
    const begin = performance.now()
    await takeIn(storing, one)
    expect(await answer).toEqual({ have_come: true })
    return { milliseconds: performance.now() - begin, looks }
  }

  /** Less than the pause between looks: without a ring, no answer can be there. */
  const soon = 250
  const heardBy = async (listening: Deps, ringing: Deps) => {
    let isHeard = false
    const leave = listening.newsBell.onRing([{ topic: 'any', id: 1 }], () => {
      isHeard = true
    })
    await eventually(() => {
      ringing.newsBell.ring('any', 1)
      expect(isHeard).toBe(true)
    })
    leave()
  }
  const listeners = async (): Promise<number[]> => {
    const rows = await room.deps.database.sql<{ pid: number }[]>`
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'listen %'`
    return rows.map(({ pid }) => pid)
  }

  it.each(['identity.users', 'identity.realms', 'identity.personal', 'identity.groups'] as const)(
    'by news of %s that this process or another one stored',
    async (topic) => {
      const ids = { 'identity.realms': room.realm.id, 'identity.groups': groupId }
      const id = (ids as Record<string, number>)[topic] ?? known.id
      const another = testDeps(room.deps.database)
      let version = 1000
      for (const storing of [room.deps, another]) {
        await heardBy(room.deps, another)
        const times: number[] = []
        // A busy machine may be slow now and then.
        while (times.length < 10 && !times.some((time) => time < soon)) {
          version += 1
          times.push((await timeOf({ topic, id, version }, storing)).milliseconds)
        }
        expect(Math.min(...times)).toBeLessThan(soon)
      }
    },
  )

  it('and is not asked of the database again and again', async () => {
    const { looks } = await timeOf({ topic: 'identity.users', id: known.id, version: 2000 }, room.deps)
    // In vain, when rung for, and what is remembered; the rest is for a machine so busy that a pause went by.
    expect(looks).toBeLessThanOrEqual(5)
  })

  it('also after the session was lost on which others are heard, which ends with the process', async () => {
    const another = testDeps(room.deps.database)
    await heardBy(room.deps, another)
    const before = await listeners()
    expect(before).toHaveLength(1)
    await room.deps.database.sql`SELECT pg_terminate_backend(${before[0]!})`
    await eventually(async () => {
      const now = await listeners()
      expect(now).toHaveLength(1)
      expect(now).not.toEqual(before)
    })
    await heardBy(room.deps, another)
    await room.deps.newsBell.stop()
    await eventually(async () => expect(await listeners()).toEqual([]))
  })
})
