import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { getMessage } from '../messages/get-message.ts'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { removeSubscriptions } from '../subscriptions/remove-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'

let room: TestRoom
let owner: KnownCaller
let anna: KnownCaller
let guest: KnownCaller
beforeAll(async () => {
  room = await openTestRoom()
  owner = await room.person('owner')
  anna = await room.person('member', { full_name: 'Anna' })
  guest = await room.person('guest')
})
afterAll(() => room.close())

const subscribe = (name: string, ...people: KnownCaller[]) =>
  room.call(addSubscriptions, owner, {
    subscriptions: [{ name }],
    principals: people.map(({ user }) => user.id),
  })
const told = async () =>
  (await room.announced()).flatMap(({ topic, value }) =>
    topic === 'channels.company' ? [value.user_ids] : [],
  )
const write = (from: KnownCaller, to: KnownCaller) =>
  room.call(sendMessage, from, { type: 'direct', to: [to.user.id], content: 'Hello' })

it('tells of company only where guests are limited to it', async () => {
  await subscribe('open', anna, guest)
  await write(owner, anna)
  expect(await told()).toEqual([])
  await room.call(removeSubscriptions, anna, { subscriptions: ['open'] })
  await room.settle({ can_access_all_users_group: room.realm.system_groups['role:members'] })
  await subscribe('limited', owner, guest)
  await room.call(removeSubscriptions, owner, { subscriptions: ['limited'] })
  expect(await told()).toEqual([[owner.user.id, guest.user.id], [owner.user.id]])
})

it('lets limited guests write to their company only, and makes no company by trying', async () => {
  const refusal = { code: 'BAD_REQUEST', message: `Invalid user ID ${anna.user.id}` }
  await expect(write(guest, anna)).rejects.toMatchObject(refusal)
  await expect(write(guest, anna)).rejects.toMatchObject(refusal)
  expect(await told()).toEqual([])
  await write(anna, guest)
  expect(await told()).toEqual([[anna.user.id, guest.user.id]])
  await write(guest, anna)
  await write(anna, guest)
  expect(await told()).toEqual([])
})

it('hides senders from limited guests who may not know them, in events and in listings', async () => {
  const ben = await room.person('member', { full_name: 'Ben' })
  const { id } = await room.call(sendMessage, ben, {
    type: 'channel',
    to: 'limited',
    topic: 't',
    content: 'Hello',
  })
  const dummy = `user${ben.user.id}@${new URL(guest.realm.url).hostname}`
  const event = (await room.announced()).find(({ value }) => value.type === 'message')
  expect(event!.audience.personal[guest.user.id]).toEqual({ flags: [], masked_sender_email: dummy })
  const { message } = await room.call(getMessage, guest, { message_id: id })
  expect(message).toMatchObject({
    sender_full_name: 'Unknown user',
    sender_email: dummy,
    sender_id: ben.user.id,
  })
  expect((await room.call(getMessage, owner, { message_id: id })).message.sender_full_name).toBe('Ben')
})
