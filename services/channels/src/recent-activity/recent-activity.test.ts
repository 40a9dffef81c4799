import type { KnownCaller } from '@parley/contracts'
import { ClientCapabilities } from '@parley/contracts'
import { streamUpdate } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { archiveChannel } from '../channels/archive-channel.ts'
import { createChannel } from '../channels/create-channel.ts'
import { getChannel } from '../channels/get-channel.ts'
import { sendMessage } from '../messages/send-message.ts'
import { settle } from '../realm-data/settle.ts'
import { openTestRoom, type TestRoom, testDeps } from '../test-room.ts'
import { recentActivityWork } from './recent-activity.ts'

let room: TestRoom
let admin: KnownCaller
let anna: KnownCaller
let stranger: KnownCaller
let guest: KnownCaller
beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator')
  anna = await room.person()
  stranger = await room.person()
  guest = await room.person('guest')
})
afterAll(() => room.close())

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape.
const sql = (text: TemplateStringsArray, ...values: any[]) => room.deps.database.sql<any[]>(text, ...values)
let made = 0
/** A channel of so many days, with a message of so many days, if any. */
const channelOf = async (days: number, messageDays?: number, more: object = {}): Promise<number> => {
  made += 1
  const wish = { name: `silent ${made}`, subscribers: [anna.user.id, admin.user.id], ...more }
  const { id } = await room.call(createChannel, admin, wish)
  await sql`UPDATE channels SET created_at = now() - make_interval(days => ${days}) WHERE id = ${id}`
  if (messageDays !== undefined) await say(id, messageDays)
  return id
}
const say = async (to: number, days = 0, process = room.deps): Promise<void> => {
  const wish = { type: 'channel', to, topic: 't', content: 'x' }
  const { id } = await room.call(sendMessage, anna, wish, process)
  await sql`UPDATE messages SET sent_at = now() - make_interval(days => ${days}) WHERE id = ${id}`
}
const look = async (process = room.deps): Promise<void> => {
  await sql`UPDATE activity_progress SET due_at = now(), after_channel_id = 0`
  while (await recentActivityWork(process).takeOne());
}
const told = async () =>
  (await room.announced())
    .filter(({ value }) => value.property === 'is_recently_active')
    .map(({ value, audience }) => ({ value, users: audience.users.toSorted() as number[] }))
const isActive = async (stream_id: number) =>
  (await room.call(getChannel, admin, { stream_id })).stream.is_recently_active
const ids = (...people: KnownCaller[]) => people.map(({ user }) => user.id)
beforeEach(async () => {
  await look()
  await room.announced()
})

it('a channel falls silent after half a year without a message, and its viewers are told once', async () => {
  const silent = await channelOf(400, 181)
  const hidden = await channelOf(400, undefined, { invite_only: true })
  const others = [await channelOf(400, 179), await channelOf(179), await channelOf(0, 181)]
  // The message of the last one is older than anything new can be; what counts is the newest message.
  await room.announced()
  expect(await isActive(silent)).toBe(true)
  await look()
  await look()
  const [first, second, third, ...more] = await told()
  expect(more).toEqual([])
  expect(first).toEqual({
    users: ids(admin, anna, stranger),
    value: {
      ...{ type: 'stream', op: 'update', property: 'is_recently_active', value: false },
      ...{ stream_id: silent, name: 'silent 1' },
    },
  })
  expect([second!.value.stream_id, second!.users]).toEqual([hidden, ids(admin, anna)])
  expect(third!.value.stream_id).toBe(others[2])
  expect(first!.users).not.toContain(guest.user.id)
  expect([await isActive(silent), await isActive(hidden), await isActive(others[0]!)]).toEqual([
    false,
    false,
    true,
  ])
})

it('the first message in it brings it back, whichever process it is sent by', async () => {
  const id = await channelOf(400, 200)
  const elsewhere = testDeps(room.deps.database)
  // Both remember it as active.
  await say(id, 200, elsewhere)
  await look()
  expect(await told()).toMatchObject([{ value: { stream_id: id, value: false } }])
  await say(id, 0, elsewhere)
  await say(id)
  expect(await told()).toMatchObject([{ value: { stream_id: id, value: true } }])
  expect(await isActive(id)).toBe(true)
  await look()
  expect(await told()).toEqual([])
})

it('what nobody told at once is told by the next round; who knows no archived channels hears nothing', async () => {
  const id = await channelOf(400, 200)
  await look()
  await sql`UPDATE messages SET sent_at = now() WHERE channel_id = ${id}`
  await room.call(archiveChannel, admin, { stream_id: id })
  await room.announced()
  await look()
  const [event] = await told()
  expect(event!.value).toMatchObject({ stream_id: id, value: true })
  const shaped = (archived_channels: boolean) =>
    streamUpdate.shape!(event!.value, {
      capabilities: ClientCapabilities.parse({ archived_channels }),
    } as never)
  expect(shaped(true)).toMatchObject([{ property: 'is_recently_active' }])
  expect(shaped(true)[0]).not.toHaveProperty('is_archived')
  expect(shaped(false)).toEqual([])
})

it('one process looks at a time, and channels of an import are as their messages say', async () => {
  const id = await channelOf(400, 200)
  await sql`UPDATE activity_progress SET due_at = now(), after_channel_id = 0`
  const works = [room.deps, testDeps(room.deps.database)].map(recentActivityWork)
  await Promise.all(
    works.map(async (work) => {
      while (await work.takeOne());
    }),
  )
  expect(await told()).toHaveLength(1)
  await sql`UPDATE channels SET is_recently_active = true WHERE id = ${id}`
  await settle(room.realm.id, room.deps)
  expect(await isActive(id)).toBe(false)
})
