import { randomUUID } from 'node:crypto'
import type { KnownCaller } from '@parley/contracts'
import { announcing, inTransaction } from '@parley/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChannel } from '../channels/create-channel.ts'
import { listChannels } from '../channels/list-channels.ts'
import { joinChannels } from '../joining/join-channels.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { followUser } from './on-user-changed.ts'

let room: TestRoom
let anna: KnownCaller
beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
})
afterAll(() => room.close())

/** Takes in another state of an account, as its fact would; the memory of the process has not heard of it yet. */
const become = async (who: KnownCaller, change: { is_active?: boolean; role?: 400 | 600 }) => {
  const user = (await room.deps.users.byIds(room.realm.id, [who.user.id])).get(who.user.id)!
  const fact = { ...user, ...change, version: user.version + 1 }
  await room.deps.database.transaction((tx) => followUser(announcing(tx), room.deps, fact))
}

it('nobody who was deactivated a moment ago is subscribed to anything, whatever a process remembers', async () => {
  const person = await room.person()
  const principals = [person.user.id]
  await room.call(addSubscriptions, anna, { subscriptions: [{ name: 'known' }] })
  const { streams } = await room.call(listChannels, anna)
  await become(person, { is_active: false })
  await room.announced()
  const refusal = { error: 'BAD_REQUEST', message: `User is deactivated: ${person.user.id}` }
  await expect(
    room.call(addSubscriptions, anna, { subscriptions: [{ name: 'known' }], principals }),
  ).rejects.toMatchObject(refusal)
  await expect(
    room.call(createChannel, anna, { name: 'new', subscribers: principals }),
  ).rejects.toMatchObject(refusal)
  const invitation = {
    ...{ name: randomUUID(), realm_id: room.realm.id, user_id: person.user.id, inviter_id: anna.user.id },
    ...{ channel_ids: streams.map((one) => one.stream_id), include_default: true, notices: [] },
  }
  const transaction = (work: never) => inTransaction(room.deps.database, work)
  const context = { input: invitation, deps: room.deps, transaction } as never
  expect(await joinChannels.handle(context)).toEqual({ channel_ids: [] })
  expect(await room.announced()).toEqual([])
})

it('a channel that is made while somebody becomes a member is told to them by one of the two', async () => {
  const guest = await room.person('guest')
  await room.announced()
  // What is made meets this at its very end, after it has found out whom to tell.
  const order = await room.hold((sql) => sql`SELECT lock_realm_order(${room.realm.id})`)
  const making = room.call(createChannel, anna, { name: 'meanwhile', subscribers: [anna.user.id] })
  await room.heldUp(1)
  let isStored = false
  const becoming = become(guest, { role: 400 }).finally(() => {
    isStored = true
  })
  await room.heldUp(2, () => isStored)
  await order.letGo()
  const { id } = await making
  await becoming
  const told = (await room.announced()).filter(
    ({ value, audience }) =>
      `${value.type} ${value.op}` === 'stream create' &&
      value.streams.some((one: { stream_id: number }) => one.stream_id === id) &&
      audience.users.includes(guest.user.id),
  )
  expect(told).toHaveLength(1)
})
