import type { KnownCaller } from '@parley/contracts'
import { type MessageRecord, presentMessage } from '@parley/contracts/objects/message'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { updateMessage } from '../message-changes/update-message.ts'
import { addReaction } from '../reactions/add-reaction.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { getMessage } from './get-message.ts'
import { listMessages } from './list-messages.ts'
import { sendMessage } from './send-message.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller
beforeAll(async () => {
  room = await openTestRoom()
  // One with a picture of the provider's that clients can make the address of, one with a hidden address.
  anna = await room.person('member', { full_name: 'Anna "\\" \u2028 Zoë' })
  ben = await room.person('member', { delivery_email: 'ben@hidden.example' })
  const principals = [anna.user.id, ben.user.id]
  await room.call(addSubscriptions, anna, { subscriptions: [{ name: 'a "quoted" name' }], principals })
  await room.announced()
})
afterAll(() => room.close())

/** What was said of each message when it was sent. */
const sent = async (): Promise<MessageRecord[]> => {
  const channel = { type: 'channel', to: 'a "quoted" name' }
  await room.call(sendMessage, anna, { ...channel, topic: '', content: '/me waves \u{1F44B}' })
  await room.call(sendMessage, ben, { ...channel, topic: 'see https://example.com/a', content: '*a*\n\tb' })
  await room.call(sendMessage, ben, { ...channel, topic: 'see https://example.com/a', content: '**c**' })
  await room.call(sendMessage, ben, { type: 'direct', to: [anna.user.id], content: 'x < y & "z"' })
  const announced = await room.announced()
  return announced.flatMap(({ value }) => (value.type === 'message' ? [value.message] : []))
}

it('is of a message what its event was, in every form that clients ask for', async () => {
  const records = await sent()
  expect(records).toHaveLength(4)
  const flags = (record: MessageRecord) => (record.sender_id === anna.user.id ? ['read'] : [])
  const window = { anchor: 'oldest', num_before: 0, num_after: 10 }
  for (const apply_markdown of [true, false]) {
    for (const client_gravatar of [true, false]) {
      for (const empty_topic_name of [true, false]) {
        const wish = { apply_markdown, client_gravatar, allow_empty_topic_name: empty_topic_name }
        const expected = records.map((record) => ({
          ...presentMessage(record, { apply_markdown, client_gravatar, empty_topic_name }),
          flags: flags(record),
        }))
        const { messages } = await room.call(listMessages, anna, { ...window, ...wish })
        expect(messages, JSON.stringify(wish)).toEqual(expected)
        if (client_gravatar) continue
        const { message, raw_content } = await room.call(getMessage, anna, {
          ...wish,
          message_id: records[1]!.id,
        })
        expect(message).toEqual(expected[1])
        expect(raw_content).toBe(records[1]!.content)
      }
    }
  }

  const [id, other] = [records[1]!.id, records[2]!.id]
  await room.call(addReaction, anna, { message_id: id, emoji_name: 'tada' })
  await room.call(addReaction, ben, { message_id: id, emoji_name: 'heart' })
  await room.call(updateMessage, ben, { message_id: id, content: 'changed' })
  const { messages } = await room.call(listMessages, anna, { ...window, narrow: [['search', 'changed']] })
  const [first, ...rest] = messages
  expect(rest).toEqual([])
  expect(first).toMatchObject({
    id,
    content: '<p>changed</p>',
    match_content: '<p><span class="highlight">changed</span></p>',
    match_subject: 'see https://example.com/a',
    reactions: [
      { emoji_name: 'tada', user_id: anna.user.id },
      { emoji_name: 'heart', user_id: ben.user.id },
    ],
    edit_history: [{ user_id: ben.user.id, prev_content: '*a*\n\tb' }],
    last_edit_timestamp: expect.any(Number),
  })
  const untouched = await room.call(listMessages, anna, { message_ids: [other] })
  expect(untouched.messages[0]).toEqual({
    ...presentMessage(records[2]!, { apply_markdown: true, client_gravatar: true, empty_topic_name: false }),
    flags: [],
  })
})
