import { inTransaction } from '@parley/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { listenToPublicChannels } from './listen-to-public-channels.ts'

let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

const listen = (userIds: number[]) =>
  listenToPublicChannels.handle({
    input: { listeners: userIds.map((user_id) => ({ realm_id: room.realm.id, user_id })) },
    deps: room.deps,
    transaction: (work: never) => inTransaction(room.deps.database, work),
  } as never)

it('messages of public channels are for whoever listens to all of them, others are not', async () => {
  const [anna, ben] = [await room.person(), await room.person()]
  const open = async (name: string, invite_only: boolean) =>
    room.call(addSubscriptions, anna, { subscriptions: [{ name }], invite_only })
  await open('square', false)
  await open('room', true)
  const listeners = async (to: unknown, type = 'channel'): Promise<unknown> => {
    await room.announced()
    await room.call(sendMessage, anna, { type, to, topic: 'talk', content: 'Hello' })
    const rows = await room.announced()
    return rows.find((row) => row.topic === 'client-events')?.audience?.public
  }
  expect(await listeners('square')).toBeUndefined()
  await listen([ben.user.id, anna.user.id])
  await listen([ben.user.id])
  expect(((await listeners('square')) as number[]).toSorted()).toEqual([anna.user.id, ben.user.id].toSorted())
  expect(await listeners('room')).toBeUndefined()
  expect(await listeners([ben.user.id], 'direct')).toBeUndefined()

  await room.deps.database
    .sql`UPDATE public_listeners SET until = now() - interval '1 second' WHERE user_id = ${anna.user.id}`
  await listen([ben.user.id])
  expect(await listeners('square')).toEqual([ben.user.id])
})
