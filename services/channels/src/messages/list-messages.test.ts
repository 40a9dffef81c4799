import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChannel } from '../channels/create-channel.ts'
import { addReaction } from '../reactions/add-reaction.ts'
import { openTestRoom, type TestRoom, testDeps } from '../test-room.ts'
import { listMessages } from './list-messages.ts'
import { sendMessage } from './send-message.ts'

/** Several times as many as the pool has connections. */
const atOnce = 60

let room: TestRoom
let anna: KnownCaller
let channel: number
const sent: number[] = []
beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  // Whether somebody is a full member is asked of the account.
  await room.settle({ waiting_period_threshold: 1 })
  const wish = { name: 'busy', subscribers: [anna.user.id] }
  channel = (await room.call(createChannel, anna, wish)).id
  for (let n = 0; n < 5; n += 1) {
    const message = { type: 'channel', to: channel, topic: 'talk', content: `word ${n}` }
    sent.push((await room.call(sendMessage, anna, message)).id)
  }
})
afterAll(() => room.close())

const narrows = [
  [],
  [['channel', 'busy']],
  [['is', 'unread']],
  [['search', 'word']],
  [
    ['channel', 'busy'],
    ['topic', 'talk'],
  ],
] as const

it('goes on while more people list, and act, at once than there are connections', async () => {
  const people = await Promise.all(Array.from({ length: atOnce }, () => room.person()))
  // As right after a start: nobody is known, so transactions have to look people up past themselves.
  const cold = testDeps(room.deps.database)
  const list = async (narrow: unknown) => {
    const wish = { anchor: 'first_unread', num_before: 100, num_after: 100, narrow }
    const { messages } = await room.call(listMessages, anna, wish, cold)
    return messages.map((one) => one.id)
  }
  const listed = Promise.all(Array.from({ length: atOnce }, (_, n) => list(narrows[n % narrows.length])))
  const reaction = { message_id: sent[0], emoji_name: 'tada' }
  const reacted = Promise.all(people.map((who) => room.call(addReaction, who, reaction, cold)))
  for (const [n, ids] of (await listed).entries())
    expect([narrows[n % narrows.length], ids]).toEqual([narrows[n % narrows.length], n % 5 === 2 ? [] : sent])
  expect(await reacted).toHaveLength(atOnce)
})

it('gives a long page whole, though it is written in pieces', async () => {
  const wish = { name: 'long', subscribers: [anna.user.id] }
  const { id } = await room.call(createChannel, anna, wish)
  const ids: number[] = []
  // Long ones at first, so that the pieces after them are of few, and then of more again.
  for (let n = 0; n < 130; n += 1) {
    const content = n < 90 ? `${n} ${'long '.repeat(1900)}` : `word ${n}`
    ids.push((await room.call(sendMessage, anna, { type: 'channel', to: id, topic: 'talk', content })).id)
  }
  const narrow = [['channel', id]]
  const all = await room.call(listMessages, anna, {
    anchor: 'oldest',
    num_before: 0,
    num_after: 5000,
    narrow,
  })
  expect(all).toMatchObject({ found_oldest: true, found_newest: true, history_limited: false })
  expect(all.messages.map((message) => message.id)).toEqual(ids)
  const singly = await room.call(listMessages, anna, {
    ...{ anchor: ids[95], num_before: 20, num_after: 20, narrow },
  })
  expect(all.messages.slice(75, 116)).toEqual(singly.messages)

  const found = await room.call(listMessages, anna, {
    ...{ anchor: 'newest', num_before: 5000, num_after: 0, narrow: [...narrow, ['search', 'long']] },
  })
  expect(found.messages.map((message) => message.id)).toEqual(ids.slice(0, 90))
  expect(found.messages.every((message) => message.match_content!.includes('<span class="highlight">'))).toBe(
    true,
  )

  const asked = [...ids, ...ids].reverse()
  const byId = await room.call(listMessages, anna, { message_ids: asked })
  expect(byId.messages).toEqual(all.messages)
  const stranger = await room.person('guest')
  expect((await room.call(listMessages, stranger, { message_ids: asked })).messages).toEqual([])
})
