import type { KnownCaller } from '@parley/contracts'
import { ClientCapabilities } from '@parley/contracts'
import { deleteMessageEvent } from '@parley/contracts/channels/message-change-events'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { updateMessage } from '../message-changes/update-message.ts'
import { sendMessage } from '../messages/send-message.ts'
import { createReminder } from '../reminders/create-reminder.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { closePeriods } from '../subscriptions/period-store.ts'
import { repeatMessage } from '../test-crowds.ts'
import { openTestRoom, type TestRoom, testDeps } from '../test-room.ts'
import { retentionWork } from './expire-messages.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller
let late: KnownCaller
let owner: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  ben = await room.person()
  late = await room.person()
  owner = await room.person('owner')
  await subscribe([anna, ben, owner], 'short', { invite_only: true })
  await subscribe([anna, owner], 'ever')
  await subscribe([anna], 'inherits')
})
afterAll(() => room.close())

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape.
const sql = (text: TemplateStringsArray, ...values: any[]) => room.deps.database.sql<any[]>(text, ...values)
beforeEach(async () => {
  await sql`DELETE FROM messages`
  await sql`DELETE FROM archived_rows`
  await sql`UPDATE channels SET message_retention_days = CASE name WHEN 'short' THEN 7 WHEN 'ever' THEN -1 END`
  await sql`UPDATE realms SET settings = '{}'`
  await room.announced()
})

const subscribe = (people: KnownCaller[], name: string, more: object = {}) =>
  room.call(addSubscriptions, people[0]!, {
    ...{ subscriptions: [{ name }], principals: people.map((one) => one.user.id), ...more },
  })
const say = async (to: string | number[], age: number, content = 'x', topic = 't') => {
  const type = typeof to === 'string' ? 'channel' : 'direct'
  const { id } = await room.call(sendMessage, anna, { type, to, topic, content })
  await sql`UPDATE messages SET sent_at = now() - make_interval(days => ${age}) WHERE id = ${id}`
  return id
}
const begin = () => sql`UPDATE retention_progress SET due_at = now(), after_recipient_id = 0`
const workOff = async () => {
  await begin()
  let steps = 0
  while (await retentionWork(room.deps).takeOne()) steps += 1
  return steps
}
const left = async () => (await sql`SELECT id FROM messages ORDER BY id`).map((message) => message.id)
const deletions = async () => (await room.announced()).filter((row) => row.value.type === 'delete_message')

it('messages go when they are older than their channel keeps them, else their organization', async () => {
  const ids = {
    short: [await say('short', 8), await say('short', 6)],
    ever: await say('ever', 4000),
    inherits: await say('inherits', 31),
    direct: await say([ben.user.id], 31),
  }
  await workOff()
  expect(await left()).toEqual([ids.short[1], ids.ever, ids.inherits, ids.direct])
  await sql`UPDATE realms SET settings = '{"message_retention_days": 30}'`
  await workOff()
  expect(await left()).toEqual([ids.short[1], ids.ever])
  expect(await workOff()).toBe(1)
  expect(await retentionWork(room.deps).takeOne()).toBe(false)
  expect((await retentionWork(room.deps).secondsToNext())!).toBeGreaterThan(3600)
})

it('who could read them is told, and nobody else', async () => {
  const first = await say('short', 9, 'a', 'one')
  const second = await say('short', 9, 'b', 'two')
  const third = await say('short', 8, 'c', 'one')
  await subscribe([anna, late], 'short')
  const fourth = await say('short', 8, 'd', 'one')
  const channel = (await room.deps.channels.byName(room.realm.id, 'short'))!
  await room.deps.database.transaction((tx) =>
    closePeriods(tx.sql, channel.realm_id, [channel.id], [ben.user.id]),
  )
  await room.announced()
  await workOff()
  const told = await deletions()
  const seenBy = (who: KnownCaller) =>
    told
      .filter((row) => row.audience.users.includes(who.user.id))
      .map((row) => [row.value.topic, row.value.message_ids])
  expect(seenBy(anna)).toEqual([
    ['one', [first, third, fourth]],
    ['two', [second]],
  ])
  // The history before was never theirs; and who has left reads nothing of it any more.
  expect(seenBy(late)).toEqual([['one', [fourth]]])
  expect(seenBy(ben)).toEqual([])
  const { type, ...data } = told[0]!.value
  const shape = (bulk: boolean) =>
    deleteMessageEvent.shape!({ type, ...data }, {
      capabilities: ClientCapabilities.parse({ bulk_message_deletion: bulk }),
    } as never)
  expect(shape(true)).toEqual([{ type, ...data }])
  expect(shape(false).map((event) => event.message_id)).toEqual(data.message_ids)
})

it('a message that goes to another channel at the same moment is kept as that channel keeps it', async () => {
  const id = await say('short', 8)
  const ever = (await room.deps.channels.byName(room.realm.id, 'ever'))!
  await room.announced()
  // A move meets this when the message is where it goes.
  const order = await room.hold((one) => one`SELECT lock_realm_order(${room.realm.id})`)
  const moving = room.call(updateMessage, owner, { message_id: id, stream_id: ever.id })
  await room.heldUp(1)
  const working = workOff()
  await room.heldUp(2)
  await order.letGo()
  await Promise.all([moving, working])
  expect(await left()).toEqual([id])
  expect(await deletions()).toEqual([])
})

it('they are archived with all that hangs on them, and removed for good after thirty days', async () => {
  const id = await say('short', 8, `@**Person 2|${ben.user.id}**`)
  await sql`INSERT INTO message_flags (user_id, message_id, flags) VALUES (${late.user.id}, ${id}, 2)`
  await sql`INSERT INTO read_exceptions (user_id, recipient_id, message_id, is_read) VALUES (${late.user.id}, 1, ${id}, true)`
  await room.call(createReminder, anna, {
    message_id: id,
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 3600,
  })
  await workOff()
  const hanging = await sql`
    SELECT origin, content FROM archived_rows WHERE message_id = ${id} ORDER BY origin`
  expect(new Set(hanging.map((row) => row.origin))).toEqual(
    new Set(['message_flags', 'messages', 'read_exceptions']),
  )
  expect(hanging.find((row) => row.origin === 'messages')!.content.content).toContain('Person 2')
  expect((await sql`SELECT FROM message_flags WHERE message_id = ${id}`).count).toBe(0)
  expect((await sql`SELECT FROM reminders WHERE message_id = ${id}`).count).toBe(1)
  await sql`UPDATE archived_rows SET archived_at = now() - interval '29 days'`
  await workOff()
  expect((await sql`SELECT FROM archived_rows`).count).toBe(hanging.length)
  await sql`UPDATE archived_rows SET archived_at = now() - interval '31 days'`
  await workOff()
  expect((await sql`SELECT FROM archived_rows`).count).toBe(0)
})

it('much goes in small steps, one process at a time, each message once', async () => {
  const id = await say('short', 8)
  await repeatMessage(room, id, 1200)
  await room.announced()
  await begin()
  const processes = [room.deps, testDeps(room.deps.database), testDeps(room.deps.database)]
  await Promise.all(
    processes.map(async (deps) => {
      // Who finds another at work looks again, as after its sleep.
      while (((await retentionWork(deps).secondsToNext()) ?? 1) <= 0) await retentionWork(deps).takeOne()
    }),
  )
  expect(await left()).toEqual([])
  const told = await deletions()
  expect(told.map((row) => row.value.message_ids.length)).toEqual([500, 500, 201])
  expect(new Set(told.flatMap((row) => row.value.message_ids)).size).toBe(1201)
  expect((await sql`SELECT FROM archived_rows WHERE origin = 'messages'`).count).toBe(1201)
})
