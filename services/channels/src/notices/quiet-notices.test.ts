import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { updateMessage } from '../message-changes/update-message.ts'
import { listMessages } from '../messages/list-messages.ts'
import { sendMessage } from '../messages/send-message.ts'
import { updateMessageFlags } from '../read-state/update-message-flags.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { updateUserTopic } from '../user-topics/update-user-topic.ts'
import { noticeWork } from './send-notices.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

it('that a topic was resolved is news only for those who want to hear of it', async () => {
  const names = ['starter', 'follower', 'indifferent', 'always', 'never'] as const
  const people = {} as Record<(typeof names)[number], KnownCaller>
  for (const name of names) people[name] = await room.person()
  const all = Object.values(people)
  const { starter, follower, indifferent, always, never } = people
  await room.call(addSubscriptions, starter, {
    ...{ subscriptions: [{ name: 'work' }], principals: all.map((one) => one.user.id) },
  })
  const channel = (await room.deps.channels.byName(room.realm.id, 'work'))!
  const choose = (who: KnownCaller, policy: string) =>
    room.choose(who, { settings: { resolved_topic_notice_auto_read_policy: policy } })
  await choose(always, 'always')
  await choose(never, 'never')
  const message = { type: 'channel', to: 'work', topic: 'task', content: 'done?' }
  const { id } = await room.call(sendMessage, starter, message)
  for (const who of [follower, always]) {
    await room.call(updateUserTopic, who, { stream_id: channel.id, topic: 'task', visibility_policy: 3 })
  }
  await room.call(updateMessage, starter, { message_id: id, topic: '✔ task', propagate_mode: 'change_all' })
  await room.announced()
  while (await noticeWork(room.deps).takeOne());

  const [event] = (await room.announced()).filter((one) => one.value.type === 'message')
  expect(event!.value.flags).toEqual(['read'])
  // Who starts a topic follows it.
  const unread = [starter, follower, never].map((one) => one.user.id)
  const told = Object.entries(event!.audience.personal as Record<string, { flags: string[] }>)
  expect(told.filter(([, { flags }]) => flags.length === 0).map(([user]) => Number(user))).toEqual(unread)
  const notice = event!.value.message.id
  const matching = async (who: KnownCaller, negated: boolean) => {
    const narrow = [{ operator: 'is', operand: 'unread', negated }]
    const window = { anchor: 'newest', num_before: 10, num_after: 0, narrow }
    return (await room.call(listMessages, who, window)).messages.map((one) => one.id)
  }
  for (const who of all) {
    const isNews = unread.includes(who.user.id)
    const { messages } = await room.call(listMessages, who, { message_ids: [notice] })
    expect(messages[0]!.flags).toEqual(isNews ? [] : ['read'])
    expect((await matching(who, false)).includes(notice)).toBe(isNews)
    expect((await matching(who, true)).includes(notice)).toBe(!isNews)
  }
  // It stays what it was when somebody wants it otherwise later.
  await choose(never, 'always')
  expect(await matching(never, false)).toContain(notice)
  await room.call(updateMessageFlags, never, { messages: [notice], op: 'add', flag: 'read' })
  await room.call(updateMessageFlags, indifferent, { messages: [notice], op: 'remove', flag: 'read' })
  expect(await matching(never, false)).not.toContain(notice)
  expect(await matching(indifferent, false)).toContain(notice)
})
