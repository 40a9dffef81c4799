import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { getMessage } from '../messages/get-message.ts'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { insertRemoval } from './removal-store.ts'
import { removalWork } from './remove-messages.ts'

let room: TestRoom
let owner: KnownCaller
let anna: KnownCaller
beforeAll(async () => {
  room = await openTestRoom()
  owner = await room.person('owner')
  anna = await room.person('member')
})
afterAll(() => room.close())

it('deletes what an account wrote in the kinds of conversations that were named, and nothing else', async () => {
  const principals = [owner.user.id, anna.user.id]
  await room.call(addSubscriptions, owner, { subscriptions: [{ name: 'open' }], principals })
  await room.call(addSubscriptions, owner, {
    subscriptions: [{ name: 'closed' }],
    principals,
    invite_only: true,
  })
  const send = async (from: KnownCaller, to: string | number[], content: string) => {
    const place = typeof to === 'string' ? { type: 'channel', topic: content } : { type: 'direct' }
    return (await room.call(sendMessage, from, { ...place, to, content })).id
  }
  const [first, second] = [await send(anna, 'open', 'one'), await send(anna, 'open', 'two')]
  const direct = await send(anna, [owner.user.id], 'hello')
  const kept = [await send(anna, 'closed', 'three'), await send(owner, 'open', 'mine')]
  const { sql } = room.deps.database
  await insertRemoval(sql, room.realm.id, anna.user.id, ['public_channels', 'direct'])
  const later = await send(anna, 'open', 'after coming back')
  await room.announced()

  const work = removalWork(room.deps)
  expect(await work.secondsToNext()).toBeLessThanOrEqual(0)
  while (await work.takeOne());
  expect(await work.secondsToNext()).toBeUndefined()
  for (const message_id of [first, second, direct]) {
    await expect(room.call(getMessage, owner, { message_id })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  }
  for (const message_id of [...kept, later]) await room.call(getMessage, owner, { message_id })
  const told = (await room.announced()).filter(({ value }) => value.type === 'delete_message')
  expect(told.map(({ value }) => [value.message_type, value.message_ids, value.topic])).toEqual([
    ['stream', [first], 'one'],
    ['stream', [second], 'two'],
    ['private', [direct], undefined],
  ])
  expect(told[0]!.audience.users).toEqual(expect.arrayContaining(principals))
})
