import type { KnownCaller } from '@parley/contracts'
import { scheduledMessagesAdd, scheduledMessagesUpdate } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { takeInUser } from '../directory/on-user-changed.ts'
import { noticeWork } from '../notices/send-notices.ts'
import type { Deps } from '../room.ts'
import { startDueWork } from '../scheduler/due-work.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { closePeriods } from '../subscriptions/period-store.ts'
import { openTestRoom, type TestRoom, testDeps } from '../test-room.ts'
import { createScheduledMessage } from './create-scheduled-message.ts'
import { deleteScheduledMessage } from './delete-scheduled-message.ts'
import { listScheduledMessages } from './list-scheduled-messages.ts'
import { scheduledMessagesSection } from './scheduled-messages-section.ts'
import { scheduledMessageWork } from './send-scheduled-messages.ts'
import { updateScheduledMessage } from './update-scheduled-message.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller
let guest: KnownCaller
let open: number
let closed: number

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  ben = await room.person()
  guest = await room.person('guest')
  await room.call(addSubscriptions, anna, { subscriptions: [{ name: 'open' }] })
  await room.call(addSubscriptions, anna, { subscriptions: [{ name: 'closed' }], invite_only: true })
  open = (await room.deps.channels.byName(room.realm.id, 'open'))!.id
  closed = (await room.deps.channels.byName(room.realm.id, 'closed'))!.id
})
afterAll(() => room.close())
beforeEach(async () => {
  await room.deps.database.sql`DELETE FROM scheduled_messages`
  await room.deps.database.sql`DELETE FROM messages`
  await room.announced()
})

const later = () => Math.floor(Date.now() / 1000) + 3600
const plan = (who: KnownCaller, wishes: object = {}) =>
  room.call(createScheduledMessage, who, {
    ...{ type: 'channel', to: open, topic: 'plans', content: '**soon**' },
    ...{ scheduled_delivery_timestamp: later(), ...wishes },
  })
const change = (who: KnownCaller, scheduled_message_id: number, wishes: object) =>
  room.call(updateScheduledMessage, who, { scheduled_message_id, ...wishes })
const listed = async (who: KnownCaller) => (await room.call(listScheduledMessages, who)).scheduled_messages
const makeDue = (seconds = 1) =>
  room.deps.database
    .sql`UPDATE scheduled_messages SET due_at = clock_timestamp() - make_interval(secs => ${seconds})`
const workOff = async (deps: Deps = room.deps) => {
  const work = scheduledMessageWork(deps)
  while (await work.takeOne());
}
const sent = () =>
  room.deps.database.sql<{ sender_id: number; content: string; topic: string; channel_id: number | null }[]>`
    SELECT sender_id, content, topic, channel_id FROM messages ORDER BY id`
const refusal = async (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error) => [error.status, error.code, error.message],
  )

describe('scheduled messages', () => {
  it('are planned, changed and taken back by their author, who alone is told', async () => {
    const { scheduled_message_id: id } = await plan(anna, { topic: '  plans ' })
    const shown = {
      ...{ scheduled_message_id: id, type: 'stream', to: open, topic: 'plans', content: '**soon**' },
      ...{ rendered_content: '<p><strong>soon</strong></p>', failed: false },
      scheduled_delivery_timestamp: expect.any(Number),
    }
    expect(await listed(anna)).toEqual([shown])
    expect(await listed(ben)).toEqual([])
    await change(anna, id, { type: 'direct', to: [ben.user.id, anna.user.id] })
    await change(anna, id, { content: 'sooner', scheduled_delivery_timestamp: later() - 60 })
    const { topic: _, ...direct } = { ...shown, type: 'private', to: [ben.user.id] }
    const state = await room.deps.database.snapshot((sql) =>
      scheduledMessagesSection.read({ caller: anna, sql } as never),
    )
    expect(state.scheduled_messages).toEqual([
      { ...direct, content: 'sooner', rendered_content: '<p>sooner</p>' },
    ])
    const absent = [404, 'BAD_REQUEST', 'Scheduled message does not exist']
    expect(await refusal(change(ben, id, { content: 'mine' }))).toEqual(absent)
    for (const who of [ben, guest]) {
      expect(await refusal(room.call(deleteScheduledMessage, who, { scheduled_message_id: id }))).toEqual(
        absent,
      )
    }
    await room.call(deleteScheduledMessage, anna, { scheduled_message_id: id })
    expect(await refusal(change(anna, id, { content: 'late' }))).toEqual(absent)
    const told = await room.announced()
    expect(told.every((row) => row.audience.users.join() === String(anna.user.id))).toBe(true)
    expect(told.map((row) => [row.value.type, row.value.op])).toEqual(
      ['add', 'update', 'update', 'remove'].map((op) => ['scheduled_messages', op]),
    )
    z.strictObject({ type: z.string(), op: z.string(), ...scheduledMessagesAdd.fields }).parse(told[0]!.value)
    z.strictObject({ type: z.string(), op: z.string(), ...scheduledMessagesUpdate.fields }).parse(
      told[1]!.value,
    )
    expect(await sent()).toEqual([])
  })

  it('have to be such that they could be sent now, at a time to come', async () => {
    const noChannel = (id: number) => [400, 'STREAM_DOES_NOT_EXIST', `Channel with ID '${id}' does not exist`]
    const past = [400, 'BAD_REQUEST', 'Scheduled delivery time must be in the future.']
    const cases: [KnownCaller, object, unknown][] = [
      [anna, { scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) - 1 }, past],
      [anna, { to: 999_999 }, noChannel(999_999)],
      [ben, { to: closed }, noChannel(closed)],
      [guest, {}, noChannel(open)],
      [anna, { to: [open, closed] }, [400, 'BAD_REQUEST', 'Expected exactly one channel']],
      [anna, { content: '  ' }, [400, 'BAD_REQUEST', 'Message must not be empty']],
      [anna, { content: 'a\0' }, [400, 'BAD_REQUEST', 'The request contains a null character.']],
      [anna, { type: 'direct', to: [999_999] }, [400, 'BAD_REQUEST', 'Invalid user ID 999999']],
      [anna, { type: 'direct', to: [] }, [400, 'BAD_REQUEST', 'Message must have recipients!']],
      [anna, { type: 'public' }, [400, 'BAD_REQUEST', 'Invalid type']],
      [anna, { to: [closed] }, 'accepted'],
      [ben, { type: 'stream' }, 'accepted'],
      [guest, { type: 'private', to: [anna.user.id] }, 'accepted'],
    ]
    for (const [who, wishes, expected] of cases) {
      expect([wishes, await refusal(plan(who, wishes))]).toEqual([wishes, expected])
    }
    const id = (await plan(anna)).scheduled_message_id
    const changes: [object, string][] = [
      [{}, 'Nothing to change'],
      [{ type: 'direct' }, 'Recipient required when updating type of scheduled message.'],
      [{ type: 'stream', to: open }, 'Topic required when updating scheduled message type to stream.'],
      [{ scheduled_delivery_timestamp: 1 }, 'Scheduled delivery time must be in the future.'],
      [{ to: 999_999 }, "Channel with ID '999999' does not exist"],
    ]
    for (const [wishes, msg] of changes) expect((await refusal(change(anna, id, wishes)))[2]).toBe(msg)
  })

  it('are sent once, however many processes look for what is due', async () => {
    for (let n = 0; n < 20; n += 1) await plan(anna, { content: `number ${n}` })
    await makeDue()
    await room.announced()
    const processes = [room.deps, testDeps(room.deps.database), testDeps(room.deps.database)]
    await Promise.all(processes.flatMap((deps) => [workOff(deps), workOff(deps)]))
    const contents = (await sent()).map((message) => message.content)
    expect(contents.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `number ${n}`).toSorted())
    expect(await listed(anna)).toEqual([])
    const told = await room.announced()
    expect(told.filter((row) => row.value.type === 'message')).toHaveLength(20)
    expect(told.filter((row) => row.value.op === 'remove')).toHaveLength(20)
  })

  it('are sent by another process when one is killed in the middle, and only once', async () => {
    await plan(anna, { content: 'survives' })
    await makeDue()
    const { database } = room.deps
    // Once: a branch of the doomed work that goes on must not kill those who come after it.
    let killed: Promise<readonly unknown[]> | undefined
    const doomed: Deps = Object.create(testDeps(database), {
      sender: { value: undefined },
      realms: {
        value: {
          ...room.deps.realms,
          async get(id: number) {
            killed ??= database.sql`
              SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND state = 'idle in transaction'`.execute()
            await killed
            return room.deps.realms.get(id)
          },
        },
      },
    })
    await expect(scheduledMessageWork(doomed).takeOne()).rejects.toThrow('postgres is away')
    expect((await killed)!.length).toBeGreaterThan(0)
    expect(await sent()).toEqual([])
    expect(await listed(anna)).toHaveLength(1)
    await Promise.all([workOff(), workOff(testDeps(database))])
    expect((await sent()).map((message) => message.content)).toEqual(['survives'])
  })

  it('are sent at their time by sleepers that are rung, not by looking all the time', async () => {
    let looks = 0
    const work = scheduledMessageWork(room.deps)
    const takeOne = () => {
      looks += 1
      return work.takeOne()
    }
    const running = startDueWork({ ...work, takeOne }, room.deps)
    await expect.poll(() => looks).toBeGreaterThan(0)
    const at = Math.ceil(Date.now() / 1000) + 1
    await plan(anna, { scheduled_delivery_timestamp: at })
    await expect.poll(async () => (await sent()).length, { timeout: 5000 }).toBe(1)
    expect(Date.now() / 1000).toBeGreaterThanOrEqual(at)
    await running.stop()
    expect(looks).toBeLessThan(15)
  })

  it('are judged when they are sent; who may not send then learns why, and can plan them again', async () => {
    const id = (await plan(anna, { to: closed })).scheduled_message_id
    const other = (await plan(anna, { content: 'to Ben', type: 'direct', to: [ben.user.id] }))
      .scheduled_message_id
    const channel = (await room.deps.channels.byId(room.realm.id, closed))!
    await room.deps.database.transaction((tx) =>
      closePeriods(tx.sql, channel.realm_id, [channel.id], [anna.user.id]),
    )
    await makeDue()
    await room.announced()
    await workOff()
    expect((await sent()).map((message) => message.content)).toEqual(['to Ben'])
    const [failed, ...more] = await listed(anna)
    expect(more).toEqual([])
    expect(failed).toMatchObject({ scheduled_message_id: id, failed: true })
    const told = await room.announced()
    expect(told.find((row) => row.value.op === 'update')!.value.scheduled_message).toEqual(failed)
    expect(told.find((row) => row.value.op === 'remove')!.value.scheduled_message_id).toBe(other)
    while (await noticeWork(room.deps).takeOne());
    const [, notice] = await sent()
    expect(notice!.sender_id).toBe(2_000_000_001)
    expect(notice!.content).toContain("> Not authorized to send to channel 'closed'")

    await workOff()
    expect(await sent()).toHaveLength(2)
    expect((await refusal(change(anna, id, { to: open })))[2]).toBe(
      'Scheduled delivery time must be in the future.',
    )
    await change(anna, id, { to: open, scheduled_delivery_timestamp: later() })
    expect(await listed(anna)).toMatchObject([{ failed: false, to: open }])
    await makeDue()
    await workOff()
    expect((await sent()).at(-1)).toMatchObject({ channel_id: open, topic: 'plans' })
  })

  it('are not sent when it is too late, nor for who has gone', async () => {
    await plan(anna, { content: 'stale' })
    await makeDue(601)
    await workOff()
    expect((await listed(anna)).map((message) => message.failed)).toEqual([true])
    const leaver = await room.person()
    await plan(leaver)
    const fact = (await room.deps.users.byIds(room.realm.id, [leaver.user.id])).get(leaver.user.id)!
    const gone = { ...fact, is_active: false, version: 2 }
    await takeInUser(room.deps.database.sql, gone)
    room.deps.users.learn(gone)
    await makeDue()
    await room.deps.database.sql`DELETE FROM notices`
    await workOff()
    expect(await sent()).toEqual([])
    expect((await listed(leaver)).map((message) => message.failed)).toEqual([true])
    expect((await room.deps.database.sql`SELECT FROM notices`).count).toBe(0)
  })

  it('that meet something unforeseen are put off and hold up nobody', async () => {
    await plan(anna, { content: 'first' })
    await makeDue(60)
    await plan(anna, { content: 'second' })
    await room.deps.database.sql`
      UPDATE scheduled_messages SET due_at = clock_timestamp() - interval '5 seconds' WHERE content = 'second'`
    const broken: Deps = Object.create(room.deps, {
      realms: { value: { ...room.deps.realms, get: () => Promise.reject(new Error('unforeseen')) } },
    })
    expect(await scheduledMessageWork(broken).takeOne()).toBe(true)
    await workOff()
    expect((await sent()).map((message) => message.content)).toEqual(['second'])
    expect((await scheduledMessageWork(room.deps).secondsToNext())!).toBeGreaterThan(1)
    await room.deps.database.sql`UPDATE scheduled_messages SET not_before = clock_timestamp()`
    await workOff()
    expect(await sent()).toHaveLength(2)
  })
})
