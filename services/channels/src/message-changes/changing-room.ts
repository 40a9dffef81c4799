/** The room and its people for the tests of changed messages; whoever imports this has them in every test. */
import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, expect } from 'vitest'
import { getMessage } from '../messages/get-message.ts'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { deleteMessage } from './delete-message.ts'
import { updateMessage } from './update-message.ts'

export let room: TestRoom
export let admin: KnownCaller
export let anna: KnownCaller
export let ben: KnownCaller
export let stranger: KnownCaller
export let guest: KnownCaller
beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator')
  anna = await room.person()
  ben = await room.person()
  stranger = await room.person()
  guest = await room.person('guest')
})
afterAll(() => room.close())

let channels = 0
export const channelOf = async (people: KnownCaller[], more: object = {}) => {
  channels += 1
  const name = `changes ${channels}`
  await room.call(addSubscriptions, people.includes(admin) ? admin : people[0]!, {
    subscriptions: [{ name }],
    principals: people.map((one) => one.user.id),
    ...more,
  })
  return (await room.deps.channels.byName(room.realm.id, name))!
}
export const send = async (from: KnownCaller, to: string, topic = 'talk') =>
  (await room.call(sendMessage, from, { type: 'channel', to, topic, content: 'before' })).id
export const edit = (by: KnownCaller, message_id: number, more: object) =>
  room.call(updateMessage, by, { message_id, ...more })
export const remove = (by: KnownCaller, message_id: number) => room.call(deleteMessage, by, { message_id })
export const at = async (reader: KnownCaller, message_id: number) =>
  (await room.call(getMessage, reader, { message_id, apply_markdown: false })).message
export const age = (id: number, seconds: number) =>
  room.deps.database.sql`
    UPDATE messages SET sent_at = now() - make_interval(secs => ${seconds}) WHERE id = ${id}`

/** What was told since the last time, of one type; with whom. */
export const told = async (type: string) =>
  (await room.announced())
    .filter((one) => one.value.type === type)
    .map(({ value, audience }) => ({ value, users: audience.users as number[], personal: audience.personal }))
export const ids = (...people: KnownCaller[]) => people.map((one) => one.user.id).sort((a, b) => a - b)
export const refusal = (message: string | RegExp) => ({
  error: 'BAD_REQUEST',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
})
