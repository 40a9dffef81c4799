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
