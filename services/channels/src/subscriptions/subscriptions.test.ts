import { type KnownCaller, limits } from '@parley/contracts'
import { streamCreate, subscriptionAdd, subscriptionPeerAdd } from '@parley/contracts/channels/events'
import { wholeFields } from '@parley/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { listChannels } from '../channels/list-channels.ts'
import { takeInUser } from '../directory/on-user-changed.ts'
import { withCrowd } from '../test-crowds.ts'
import { type Announced, openTestRoom, type TestRoom } from '../test-room.ts'
import { addSubscriptions } from './add-subscriptions.ts'
import { listSubscriptions } from './list-subscriptions.ts'
import { closePeriods } from './period-store.ts'
import { removeSubscriptions } from './remove-subscriptions.ts'
import { subscriptionSection } from './subscription-section.ts'

let room: TestRoom
let owner: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let guest: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  owner = await room.person('owner')
  anna = await room.person()
  ben = await room.person()
  guest = await room.person('guest')
})
afterAll(() => room.close())
beforeEach(async () => void (await room.announced()))

const subscribe = (by: KnownCaller, names: string[], more: object = {}) =>
  room.call(addSubscriptions, by, { subscriptions: names.map((name) => ({ name })), ...more })
const ids = (...people: KnownCaller[]) => people.map((one) => one.user.id)
const told = (row: Announced) => [`${row.value.type} ${row.value.op}`, row.audience.users.toSorted()] as const
const namesSeenBy = async (who: KnownCaller, more: object = {}) =>
  (await room.call(listChannels, who, { ...more })).streams.map((stream) => stream.name)

it('does not take more channels or people at once than one announcement holds', async () => {
  const names = Array.from({ length: 1001 }, (_, n) => `many ${n}`)
  await expect(subscribe(anna, names)).rejects.toThrow('subscriptions is too large (limit: 1000)')
  const principals = Array.from({ length: 10_001 }, (_, n) => n + 1)
  await expect(subscribe(anna, ['one'], { principals })).rejects.toThrow(
    'principals is too large (limit: 10000)',
  )
  const { subscribed } = await subscribe(anna, names.slice(1))
  expect(subscribed[anna.user.id]).toHaveLength(1000)
})

it('shows a thousand channels with the longest descriptions in as many events as hold them', async () => {
  const described = Array.from({ length: 1000 }, (_, n) => ({
    name: `wordy ${n}`,
    description: '<'.repeat(limits.maxChannelDescriptionLength),
  }))
  const { subscribed } = await room.call(addSubscriptions, anna, { subscriptions: described })
  expect(subscribed[anna.user.id]).toHaveLength(1000)
  const rows = await room.announced()
  const shown = (list: 'streams' | 'subscriptions') =>
    rows.flatMap(({ value }) => (value[list] ?? []).map((one: { name: string }) => one.name))
  const names = described.map(({ name }) => name)
  expect(shown('streams').toSorted()).toEqual(names.toSorted())
  expect(shown('subscriptions')).toEqual(shown('streams'))
})

describe('announcements', () => {
  it('show a public channel to all but guests, then the subscription, then the peers', async () => {
    await subscribe(anna, ['open'], { principals: ids(anna, ben) })
    const rows = await room.announced()
    expect(rows.map(told)).toEqual([
      ['stream create', ids(owner, anna, ben)],
      ['subscription add', ids(anna, ben)],
      ['subscription peer_add', ids(owner)],
    ])
    for (const [place, event] of [streamCreate, subscriptionAdd, subscriptionPeerAdd].entries()) {
      z.strictObject({ type: z.string(), op: z.string(), ...event.fields }).parse(rows[place]!.value)
    }
    expect(rows[1]!.value.subscriptions[0]).toMatchObject({
      name: 'open',
      subscribers: ids(anna, ben),
      subscriber_count: 2,
      creator_id: anna.user.id,
    })
    expect(rows[2]!.value.user_ids).toEqual(ids(anna, ben))
  })

  it('show a private channel to its members and to administrators only', async () => {
    await subscribe(anna, ['closed'], { invite_only: true })
    expect((await room.announced()).map(told)).toEqual([
      ['stream create', ids(owner, anna)],
      ['subscription add', ids(anna)],
      ['subscription peer_add', ids(owner)],
    ])
    await subscribe(anna, ['closed'], { principals: ids(ben, guest) })
    expect((await room.announced()).map(told)).toEqual([
      ['stream create', ids(ben, guest)],
      ['subscription add', ids(ben, guest)],
      ['subscription peer_add', ids(owner, anna)],
    ])
  })

  it('come once for all who join the same channels, and again for settings of their own', async () => {
    await subscribe(anna, ['one', 'two'], { principals: ids(anna, ben) })
    const { sql } = room.deps.database
    await sql`UPDATE subscriptions SET is_muted = true WHERE user_id = ${ben.user.id}
              AND channel_id = (SELECT id FROM channels WHERE name = 'two')`
    const two = (await room.deps.channels.byName(room.realm.id, 'two'))!
    await room.deps.database.transaction((tx) => closePeriods(tx.sql, two.realm_id, [two.id], ids(anna, ben)))
    await room.announced()
    await subscribe(anna, ['two'], { principals: ids(anna, ben) })
    const added = (await room.announced()).filter((row) => row.value.op === 'add')
    expect(added.map((row) => [row.audience.users, row.value.subscriptions[0].is_muted])).toEqual([
      [ids(anna), false],
      [ids(ben), true],
    ])
  })

  it('are none when everybody was there already', async () => {
    await subscribe(anna, ['settled'])
    await room.announced()
    const reply = await subscribe(anna, ['Settled'])
    expect(reply).toMatchObject({ subscribed: {}, already_subscribed: { [anna.user.id]: ['settled'] } })
    expect(await room.announced()).toEqual([])
  })
})

describe('who may', () => {
  it('lets guests neither create, nor join by themselves, nor subscribe others', async () => {
    await subscribe(anna, ['for members'])
    await expect(subscribe(guest, ['brand new'])).rejects.toMatchObject({
      message: 'Insufficient permission',
    })
    await expect(subscribe(guest, ['for members'])).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    await expect(subscribe(guest, ['x'], { principals: ids(ben) })).rejects.toMatchObject({
      message: 'Insufficient permission',
    })
    expect(await namesSeenBy(guest)).not.toContain('for members')
  })

  it('keeps private channels from outsiders, administrators included, and creates nothing on the way', async () => {
    await subscribe(anna, ['hidden'], { invite_only: true })
    for (const outsider of [ben, owner]) {
      await expect(subscribe(outsider, ['hidden', 'never made'])).rejects.toMatchObject({
        message: 'Unable to access channel (hidden).',
      })
    }
    expect(await namesSeenBy(ben, { include_all: true })).not.toContain('hidden')
    expect(await namesSeenBy(owner, { include_all: true })).toContain('hidden')
    expect(await namesSeenBy(owner)).not.toContain('hidden')
    expect(await namesSeenBy(anna)).not.toContain('never made')
    const reply = await subscribe(ben, ['hidden', 'made'], { authorization_errors_fatal: false })
    expect(reply).toMatchObject({
      subscribed: { [ben.user.id]: ['made'] },
      already_subscribed: {},
      unauthorized: ['hidden'],
    })
  })

  it('knows nobody who is deactivated, or of another organization', async () => {
    const gone = await room.person('member', { is_active: false })
    const foreign = await room.person('member', { realm_id: 8 })
    for (const somebody of [gone, foreign]) {
      await expect(subscribe(anna, ['x'], { principals: ids(somebody) })).rejects.toMatchObject({
        error: 'BAD_REQUEST',
      })
    }
  })
})

describe('at once', () => {
  it('makes one channel of many wishes, whatever their case and order, and counts everybody once', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => room.person()))
    await Promise.all(
      people.flatMap((person, n) => [
        subscribe(person, n % 2 ? ['Raced', 'also raced'] : ['also raced', 'RACED']),
        subscribe(person, ['raced']),
      ]),
    )
    const { streams } = await room.call(listChannels, anna, {})
    const raced = streams.filter((stream) => stream.name.toLowerCase() === 'raced')
    expect(raced).toHaveLength(1)
    expect(raced[0]!.subscriber_count).toBe(8)
    const [current] = await room.deps.database.sql<{ count: number }[]>`
      SELECT count(*) AS count FROM subscription_periods
      WHERE channel_id = ${raced[0]!.stream_id} AND to_version IS NULL`
    expect(current!.count).toBe(8)
  })

  it('subscribes 10,000 people in one call, with as many announcements as for two', () =>
    withCrowd(room, 10_000, async (principals) => {
      const reply = await subscribe(owner, ['everybody'], { principals })
      expect(Object.keys(reply.subscribed)).toHaveLength(10_000)
      const rows = await room.announced()
      expect(rows.map((row) => row.value.op)).toEqual(['create', 'add', 'peer_add'])
      const { subscriptions } = await room.call(
        listSubscriptions,
        { ...owner, user: { ...owner.user, id: principals[0]! } },
        {},
      )
      expect(subscriptions[0]).toMatchObject({ name: 'everybody', subscriber_count: 10_000 })
      const many = Array.from({ length: 21 }, (_, n) => ({ name: `one of ${n}` }))
      const refusal = { message: 'Too many channels times principals (limit: 200000)' }
      const change = { subscriptions: many, principals }
      await expect(room.call(addSubscriptions, owner, change)).rejects.toMatchObject(refusal)
      const names = many.map(({ name }) => name)
      await expect(
        room.call(removeSubscriptions, owner, { subscriptions: names, principals }),
      ).rejects.toMatchObject(refusal)
    }))
})

describe('the state of a registration', () => {
  it('divides channels by whether one is, was or never was subscribed', async () => {
    const newcomer = await room.person()
    await subscribe(newcomer, ['current', 'former'])
    const former = (await room.deps.channels.byName(room.realm.id, 'former'))!
    await room.deps.database.transaction((tx) =>
      closePeriods(tx.sql, former.realm_id, [former.id], ids(newcomer)),
    )
    const state = await room.deps.database.snapshot(async (sql, snapshot) =>
      wholeFields(
        await subscriptionSection.read({
          caller: newcomer,
          options: { include_subscribers: true } as never,
          sql,
          snapshot,
          deps: room.deps,
        }),
      ),
    )
    expect(state.subscriptions.map((one) => one.name)).toEqual(['current'])
    expect(state.subscriptions[0]!.subscribers).toEqual(ids(newcomer))
    expect(state.unsubscribed.map((one) => one.name)).toEqual(['former'])
    const rest = state.never_subscribed.map((one) => one.name)
    expect(rest).toContain('open')
    expect(rest).not.toContain('hidden')
  })
})

describe('the count of subscribers', () => {
  it('leaves out who was deactivated, and takes them in again', async () => {
    const leaver = await room.person()
    await subscribe(anna, ['counted'], { principals: ids(anna, leaver) })
    const [user] = (await room.deps.users.byIds(room.realm.id, ids(leaver))).values()
    const count = async () =>
      (await room.call(listChannels, anna, {})).streams.find((one) => one.name === 'counted')!
        .subscriber_count
    const become = (is_active: boolean, version: number) =>
      takeInUser(room.deps.database.sql, { ...user!, is_active, version })
    await become(false, 2)
    expect(await count()).toBe(1)
    await become(true, 3)
    await become(false, 2)
    expect(await count()).toBe(2)
  })
})
