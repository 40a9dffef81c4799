import type { KnownCaller } from '@parley/contracts'
import { remindersAdd } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { closePeriods } from '../subscriptions/period-store.ts'
import { openTestRoom, type TestRoom, testDeps } from '../test-room.ts'
import { createReminder } from './create-reminder.ts'
import { deleteReminder } from './delete-reminder.ts'
import { listReminders } from './list-reminders.ts'
import { reminderText } from './reminder-text.ts'
import { remindersSection } from './reminders-section.ts'
import { reminderWork } from './send-reminders.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person('member', { full_name: 'Anna' })
  ben = await room.person('member', { full_name: 'Ben' })
  await room.call(addSubscriptions, anna, {
    subscriptions: [{ name: 'closed' }],
    principals: [anna.user.id, ben.user.id],
    invite_only: true,
  })
})
afterAll(() => room.close())

const later = () => Math.floor(Date.now() / 1000) + 3600
const say = async (who: KnownCaller, wishes: object = {}) =>
  (await room.call(sendMessage, who, { type: 'channel', to: 'closed', topic: 't', content: 'hi', ...wishes }))
    .id
const remind = (who: KnownCaller, message_id: number, wishes: object = {}) =>
  room.call(createReminder, who, { message_id, scheduled_delivery_timestamp: later(), ...wishes })
const listed = async (who: KnownCaller) => (await room.call(listReminders, who)).reminders
const makeDue = () =>
  room.deps.database.sql`UPDATE reminders SET due_at = clock_timestamp() - interval '1 second'`
const workOff = async (deps = room.deps) => {
  while (await reminderWork(deps).takeOne());
}
const reminded = async () =>
  room.deps.database.sql<{ content: string; user_ids: number[] }[]>`
    SELECT m.content, v.user_ids FROM messages m JOIN conversations v USING (recipient_id)
    WHERE m.sender_id = 2000000001 ORDER BY m.id`
const refusal = async (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error) => [error.status, error.code, error.message],
  )

it('reminders quote a message to who asked for them, once, from the notification bot', async () => {
  const id = await say(ben, { content: 'the plan:\n```quote\nold\n```' })
  await room.announced()
  const { reminder_id } = await remind(anna, id, { note: 'ask\nagain' })
  const [reminder, ...others] = await listed(anna)
  expect(others).toEqual([])
  expect(reminder).toEqual({
    ...{ reminder_id, type: 'private', to: [anna.user.id], failed: false, reminder_target_message_id: id },
    scheduled_delivery_timestamp: expect.any(Number),
    content: expect.stringContaining(
      `@_**Ben|${ben.user.id}** [said](http://acme.chat.example/#narrow/channel/`,
    ),
    rendered_content: expect.stringContaining('<blockquote>'),
  })
  expect(reminder!.content).toContain('> ask\n> again')
  expect(reminder!.content).toContain('````quote\nthe plan:')
  const state = await room.deps.database.snapshot((sql) =>
    remindersSection.read({ caller: anna, sql } as never),
  )
  expect(state).toEqual({ reminders: [reminder] })
  expect(await listed(ben)).toEqual([])
  await makeDue()
  await Promise.all([workOff(), workOff(testDeps(room.deps.database)), workOff()])
  const told = await room.announced()
  z.strictObject({ type: z.string(), op: z.string(), ...remindersAdd.fields }).parse(told[0]!.value)
  expect(told.filter((row) => row.value.type === 'reminders').map((row) => row.value)).toEqual([
    { type: 'reminders', op: 'add', reminders: [reminder] },
    { type: 'reminders', op: 'remove', reminder_id },
  ])
  const event = told.find((row) => row.value.type === 'message')!
  expect(event.audience.users).toEqual([anna.user.id, 2_000_000_001])
  expect(event.value.message).toMatchObject({
    sender_full_name: 'Notification Bot',
    client: 'Internal',
    content: reminder!.content,
  })
  expect(await reminded()).toHaveLength(1)
  expect(await listed(anna)).toEqual([])
})

it('reminders are for messages that one may read, then and when they come', async () => {
  const channelMessage = await say(ben)
  const direct = await say(ben, { type: 'direct', to: [anna.user.id], content: 'between us' })
  const outsider = await room.person()
  const invalid = [400, 'BAD_REQUEST', 'Invalid message(s)']
  expect(await refusal(remind(outsider, channelMessage))).toEqual(invalid)
  expect(await refusal(remind(outsider, direct))).toEqual(invalid)
  expect(await refusal(remind(anna, 999_999))).toEqual(invalid)
  expect((await refusal(remind(anna, direct, { scheduled_delivery_timestamp: 1 })))[2]).toBe(
    'Scheduled delivery time must be in the future.',
  )
  expect((await refusal(remind(anna, direct, { note: 'x'.repeat(1001) })))[2]).toBe(
    'Maximum reminder note length: 1000 characters',
  )
  const { reminder_id } = await remind(ben, direct, { note: '🌴'.repeat(1000) })
  const absent = [404, 'BAD_REQUEST', 'Reminder does not exist']
  expect(await refusal(room.call(deleteReminder, anna, { reminder_id }))).toEqual(absent)
  await room.call(deleteReminder, ben, { reminder_id })
  expect(await refusal(room.call(deleteReminder, ben, { reminder_id }))).toEqual(absent)

  const secret = await say(anna, { content: 'no longer for Ben' })
  await remind(ben, secret, { note: 'that one' })
  const channel = (await room.deps.channels.byName(room.realm.id, 'closed'))!
  await room.deps.database.transaction((tx) =>
    closePeriods(tx.sql, channel.realm_id, [channel.id], [ben.user.id]),
  )
  await makeDue()
  await workOff()
  const [last] = (await reminded()).slice(-1)
  expect(last!.user_ids).toEqual([ben.user.id, 2_000_000_001])
  expect(last!.content).toContain('> that one')
  expect(last!.content).not.toContain('no longer for Ben')
})

it('reminders of long messages are no longer than a message may be', () => {
  const sender = { id: 1, full_name: 'Ben' }
  const text = reminderText(
    { sender, url: 'http://x', place: 'there', content: '🌴'.repeat(10_000) },
    'x'.repeat(1000),
  )
  expect([...text].length).toBe(10_000)
  expect(text.endsWith('...\n```')).toBe(true)
})
