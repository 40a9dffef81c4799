/** The room for the tests of what is read, and how they look at it; whoever imports this has it in every test. */
import type { KnownCaller, SectionOptions } from '@parley/contracts'
import { afterAll, beforeAll } from 'vitest'
import { listMessages } from '../messages/list-messages.ts'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import type { unreadSection } from './unread-section.ts'

export let room: TestRoom
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())

const options = { client_capabilities: { empty_topic_name: true } } as SectionOptions

export const readSection = <Data>(
  handler: { read: (context: never) => Promise<Data> },
  caller: KnownCaller,
): Promise<Data> =>
  room.deps.database.snapshot((sql, snapshot) =>
    handler.read({ caller, options, sql, snapshot, deps: room.deps } as never),
  )

export const channelOf = async (name: string, people: KnownCaller[], more: object = {}) => {
  await room.call(addSubscriptions, people[0]!, {
    subscriptions: [{ name }],
    principals: people.map((one) => one.user.id),
    ...more,
  })
  return (await room.deps.channels.byName(room.realm.id, name))!
}

export const send = async (from: KnownCaller, to: string, topic: string, content = 'text') =>
  (await room.call(sendMessage, from, { type: 'channel', to, topic, content })).id

/** All messages of a reader with flags. */
export const flagsOf = async (reader: KnownCaller) => {
  const { messages } = await room.call(listMessages, reader, {
    anchor: 'oldest',
    num_before: 0,
    num_after: 5000,
  })
  return new Map(messages.map((one) => [one.id, one.flags]))
}
export const unreadOf = async (reader: KnownCaller) =>
  [...(await flagsOf(reader))].filter(([, flags]) => !flags.includes('read')).map(([id]) => id)

export const told = async (reader: KnownCaller) =>
  (await room.announced())
    .filter((one) => one.value.type === 'update_message_flags' && one.audience.users.includes(reader.user.id))
    .map((one) => one.value)

export const unreadIds = ({ unread_msgs }: Awaited<ReturnType<typeof unreadSection.read>>) =>
  [
    ...unread_msgs.pms.flatMap((one) => one.unread_message_ids),
    ...unread_msgs.streams.flatMap((one) => one.unread_message_ids),
    ...unread_msgs.huddles.flatMap((one) => one.unread_message_ids),
  ].sort((a, b) => a - b)
