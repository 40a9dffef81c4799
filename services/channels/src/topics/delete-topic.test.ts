import type { KnownCaller } from '@parley/contracts'
import { deleteMessageEvent, streamUpdate } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChannel } from '../channels/create-channel.ts'
import { getChannel } from '../channels/get-channel.ts'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { deleteTopic } from './delete-topic.ts'
import { listChannelTopics } from './list-channel-topics.ts'

let room: TestRoom
let admin: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let guest: KnownCaller
beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator')
  anna = await room.person()
  ben = await room.person()
  guest = await room.person('guest')
})
afterAll(() => room.close())

let made = 0
const channelWith = async (people: KnownCaller[], more: object = {}): Promise<number> => {
  made += 1
  const subscribers = people.map((one) => one.user.id)
  return (await room.call(createChannel, admin, { name: `topics ${made}`, subscribers, ...more })).id
}
const send = async (by: KnownCaller, to: number, topic: string, times = 1): Promise<number[]> => {
  const ids: number[] = []
  for (let n = 0; n < times; n += 1) {
    const { id } = await room.call(sendMessage, by, { type: 'channel', to, topic, content: `text ${n}` })
    ids.push(id)
  }
  return ids
}
const remove = (by: KnownCaller, stream_id: number, topic_name: string) =>
  room.call(deleteTopic, by, { stream_id, topic_name })
const topicsSeenBy = async (who: KnownCaller, stream_id: number) =>
  (await room.call(listChannelTopics, who, { stream_id, allow_empty_topic_name: true })).topics.map(
    (topic) => topic.name,
  )

it('deletes what is in the topic, whatever its case, and tells those who have it', async () => {
  const id = await channelWith([admin, anna, guest])
  const gone = await send(anna, id, 'Old', 3)
  const [kept] = await send(anna, id, 'new')
  const general = await send(anna, id, '')
  await room.announced()
  expect(await remove(admin, id, 'oLD')).toEqual({ complete: true })
  const rows = (await room.announced()).filter((row) => row.topic === 'client-events')
  const [deleted, first] = rows
  expect(rows).toHaveLength(2)
  expect(deleted!.audience.users.toSorted()).toEqual([admin, anna, guest].map((one) => one.user.id))
  expect(deleted!.value).toEqual({
    ...{ type: 'delete_message', message_type: 'stream', message_ids: gone, stream_id: id, topic: 'oLD' },
  })
  const client = (bulk_message_deletion: boolean) => ({ capabilities: { bulk_message_deletion } }) as never
  expect(deleteMessageEvent.shape!(deleted!.value, client(true))).toHaveLength(1)
  const single = deleteMessageEvent.shape!(deleted!.value, client(false))
  expect(single.map((event) => event.message_id)).toEqual(gone)
  // The history begins later now (level 256).
  expect(streamUpdate.shape!(first!.value, client(true))).toMatchObject([
    { op: 'update', stream_id: id, property: 'first_message_id', value: kept },
  ])
  expect(await topicsSeenBy(anna, id)).toEqual(['', 'new'])
  expect((await room.call(getChannel, anna, { stream_id: id })).stream.first_message_id).toBe(kept)

  // By the name that clients without the capability know it by; nothing older than `kept` goes.
  expect(await remove(admin, id, 'general chat')).toEqual({ complete: true })
  const [again, ...others] = (await room.announced()).filter((row) => row.topic === 'client-events')
  expect(again!.value).toMatchObject({ message_ids: general, topic: '' })
  expect(others).toEqual([])
  await remove(admin, id, 'new')
  const last = (await room.announced()).at(-1)!.value
  expect(last).toMatchObject({ property: 'first_message_id', value: null })
  expect(await remove(admin, id, 'never was')).toEqual({ complete: true })
  expect(await room.announced()).toEqual([])
})

it('is for administrators and whom the settings name, and only where they can read', async () => {
  const id = await channelWith([admin, anna, ben])
  const closed = await channelWith([anna], {
    invite_only: true,
    can_delete_any_message_group: { direct_members: [ben.user.id], direct_subgroups: [] },
  })
  const finding = (work: Promise<unknown>) =>
    work.then(
      (reply) => reply,
      (error) => error.message,
    )
  const noPermission = 'Must be an organization administrator'
  expect(await finding(remove(anna, id, 'x'))).toBe(noPermission)
  expect(await finding(remove(guest, id, 'x'))).toBe('Invalid channel ID')
  expect(await finding(remove(admin, 999_999, 'x'))).toBe('Invalid channel ID')
  // Who may know of a channel but not read in it deletes nothing there; who is named but not in it, neither.
  expect(await finding(remove(admin, closed, 'x'))).toBe('Invalid channel ID')
  expect(await finding(remove(ben, closed, 'x'))).toBe('Invalid channel ID')
  await room.call(addSubscriptions, anna, {
    subscriptions: [{ name: `topics ${made}` }],
    principals: [ben.user.id],
  })
  expect(await finding(remove(ben, closed, 'x'))).toEqual({ complete: true })
})

it('leaves what the caller cannot read of a protected history', async () => {
  const id = await channelWith([admin, anna], { invite_only: true })
  const name = `topics ${made}`
  const [before] = await send(anna, id, 'plans')
  await room.call(addSubscriptions, admin, { subscriptions: [{ name }], principals: [ben.user.id] })
  await room.settle({ can_delete_any_message_group: room.realm.system_groups['role:everyone'] })
  const after = await send(anna, id, 'plans', 2)
  await room.announced()
  expect(await remove(ben, id, 'plans')).toEqual({ complete: true })
  const deleted = (await room.announced()).filter((row) => row.value.type === 'delete_message')
  expect(deleted.flatMap((row) => row.value.message_ids)).toEqual(after)
  const { sql } = room.deps.database
  const left = await sql<{ id: number }[]>`SELECT id FROM messages WHERE channel_id = ${id}`
  expect(left.map((row) => row.id)).toEqual([before])
})

it('goes in batches of what one client can be told at once', async () => {
  const id = await channelWith([admin])
  const { sql } = room.deps.database
  const [sent] = await send(admin, id, 'long')
  await sql`
    INSERT INTO messages (realm_id, recipient_id, channel_id, sender_id, membership_version, sent_at, topic, content,
      rendered_content, client, is_me_message, has_link, has_image, has_attachment, read_by_sender)
    SELECT realm_id, recipient_id, channel_id, sender_id, membership_version, sent_at, topic, content,
      rendered_content, client, is_me_message, has_link, has_image, has_attachment, read_by_sender
    FROM messages CROSS JOIN generate_series(1, 1200) WHERE id = ${sent!}`
  await room.announced()
  expect(await remove(admin, id, 'long')).toEqual({ complete: true })
  const deleted = (await room.announced()).filter((row) => row.value.type === 'delete_message')
  expect(deleted.map((row) => row.value.message_ids.length)).toEqual([500, 500, 201])
  expect((await sql`SELECT FROM messages WHERE channel_id = ${id}`).count).toBe(0)
})
