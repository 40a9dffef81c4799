import type { KnownCaller } from '@parley/contracts'
import { systemBots } from '@parley/contracts/identity/system-bots'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sendMessage } from '../messages/send-message.ts'
import type { Deps } from '../room.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom, testDeps } from '../test-room.ts'
import { channelForTask } from './channel-for-task.ts'
import { insertNotices, type NewNotice } from './notice-store.ts'
import { arrivalNotices } from './on-arrival.ts'
import { noticeWork } from './send-notices.ts'
import { sendWelcomeMessage } from './send-welcome-message.ts'

let room: TestRoom
let anna: KnownCaller
let closed: number

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person('member', { full_name: 'Anna' })
  await room.call(addSubscriptions, anna, { subscriptions: [{ name: 'closed' }], invite_only: true })
  closed = (await room.deps.channels.byName(room.realm.id, 'closed'))!.id
})
afterAll(() => room.close())
beforeEach(async () => {
  const { sql } = room.deps.database
  await sql`DELETE FROM notices`
  await sql`DELETE FROM messages`
  await room.announced()
})

const workOff = async (deps: Deps = room.deps) => {
  while (await noticeWork(deps).takeOne());
}
const write = (...notices: NewNotice[]) => insertNotices(room.deps.database.sql, notices)
const waiting = async () => (await room.deps.database.sql`SELECT FROM notices`).count
const sent = () =>
  room.deps.database.sql<{ sender_id: number; content: string; topic: string }[]>`
    SELECT sender_id, content, topic FROM messages ORDER BY id`
const notice = (to: NewNotice['to'], content = 'news'): NewNotice => ({
  ...{ realm_id: room.realm.id, bot: 'notification', to, content },
})

it('who comes is welcomed, and announced where the organization wants to hear of it', () => {
  const arrival = {
    ...{ realm_id: room.realm.id, user_id: anna.user.id, full_name: 'Anna' },
    welcome_message_custom_text: null,
  }
  const [welcome, ...others] = arrivalNotices(room.realm, arrival)
  expect(others).toEqual([])
  expect(welcome).toMatchObject({ bot: 'welcome', to: { user_ids: [anna.user.id] } })
  expect(welcome!.content).toContain('welcome to Acme!')

  const settings = { welcome_message_custom_text: 'Read #**rules**.', signup_announcements_stream_id: closed }
  const realm = { ...room.realm, settings }
  const [own, signup] = arrivalNotices(realm, arrival)
  expect(own!.content).toBe(`${welcome!.content}\n\nRead #**rules**.`)
  expect(signup).toEqual({
    ...{ realm_id: room.realm.id, bot: 'notification', to: { channel_id: closed, topic: 'signups' } },
    content: `@_**Anna|${anna.user.id}** joined this organization.`,
  })
  const invited = (text: string) =>
    arrivalNotices(realm, { ...arrival, welcome_message_custom_text: text })[0]!.content
  expect(invited('')).toBe(welcome!.content)
  expect(invited('Hi Anna')).toBe(`${welcome!.content}\n\nHi Anna`)
})

it('notices go out once, however many processes send them, also into channels that no bot is in', async () => {
  await write(
    notice({ channel_id: closed, topic: 'events' }),
    ...Array.from({ length: 9 }, (_, n) => notice({ user_ids: [anna.user.id] }, `news ${n}`)),
  )
  await Promise.all([workOff(), workOff(), workOff(testDeps(room.deps.database))])
  expect(await sent()).toHaveLength(10)
  expect((await sent()).filter((message) => message.topic === 'events')).toHaveLength(1)
  expect(await waiting()).toBe(0)
  const event = (await room.announced()).find((row) => row.value.message?.stream_id === closed)
  expect(event!.value.message).toMatchObject({
    sender_id: systemBots.notification.id,
    sender_email: systemBots.notification.email,
    display_recipient: 'closed',
  })
})

it('a notice that has no place to go is forgotten; one that meets something unforeseen comes later', async () => {
  await write(notice({ channel_id: 999_999, topic: 'events' }))
  await workOff()
  expect([await waiting(), await sent()]).toEqual([0, []])

  await write(notice({ user_ids: [anna.user.id] }, 'late news'))
  const broken: Deps = Object.create(room.deps, {
    conversations: { value: { recipientId: () => Promise.reject(new Error('unforeseen')) } },
  })
  await workOff(broken)
  expect([await waiting(), await sent()]).toEqual([1, []])
  expect((await noticeWork(room.deps).secondsToNext())!).toBeGreaterThan(1)
  await room.deps.database.sql`UPDATE notices SET due_at = clock_timestamp()`
  await workOff()
  expect((await sent()).map((message) => message.content)).toEqual(['late news'])
})

it('system bots can be written to, and answer questions of identity', async () => {
  for (const to of [[systemBots.welcome.id], [systemBots.welcome.email]]) {
    await room.call(sendMessage, anna, { type: 'direct', to, content: 'thanks' })
  }
  const ask = { input: { realm: anna.realm, user_id: anna.user.id, text: 'Hello **you**' }, deps: room.deps }
  const { message_id } = await sendWelcomeMessage.handle(ask as never)
  expect((await sent()).at(-1)).toMatchObject({ sender_id: systemBots.welcome.id, content: 'Hello **you**' })
  expect(message_id).toBeGreaterThan(0)

  const guest = await room.person('guest')
  const about = async (who: KnownCaller, channel_id: number) =>
    (
      await channelForTask.handle({
        input: { realm_id: room.realm.id, user: who.user, channel_id },
        deps: room.deps,
      } as never)
    ).channel
  expect(await about(anna, closed)).toEqual({ invite_only: true, is_archived: false })
  expect(await about(guest, closed)).toBe(null)
  expect(await about(anna, 999_999)).toBe(null)
})
