import type { KnownCaller } from '@parley/contracts'
import { systemBots } from '@parley/contracts/identity/system-bots'
import { reportTypes } from '@parley/contracts/objects/report-type'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listMessages } from '../messages/list-messages.ts'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { reportMessage } from './report-message.ts'

let room: TestRoom
let moderator: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let guest: KnownCaller
let moderation: number

beforeAll(async () => {
  room = await openTestRoom()
  moderator = await room.person('moderator')
  anna = await room.person('member', { full_name: 'Anna' })
  ben = await room.person('member', { full_name: 'Ben' })
  guest = await room.person('guest')
  const make = (by: KnownCaller, name: string, people: KnownCaller[], more: object = {}) =>
    room.call(addSubscriptions, by, {
      ...{ subscriptions: [{ name }], principals: people.map((one) => one.user.id), ...more },
    })
  await make(moderator, 'mods', [moderator], { invite_only: true })
  await make(anna, 'open', [anna, ben])
  await make(anna, 'closed', [anna], { invite_only: true })
  moderation = (await room.deps.channels.byName(room.realm.id, 'mods'))!.id
})
afterAll(() => room.close())

const send = async (from: KnownCaller, to: string, content: string) =>
  (await room.call(sendMessage, from, { type: 'channel', to, topic: 'talk', content })).id
const report = (by: KnownCaller, message_id: number, more: object = { report_type: 'spam' }) =>
  room.call(reportMessage, by, { message_id, ...more })
const reports = async () =>
  (
    await room.call(listMessages, moderator, {
      ...{ anchor: 'oldest', num_before: 0, num_after: 100, apply_markdown: false },
      narrow: [['channel', 'mods']],
    })
  ).messages.filter((one) => one.subject.endsWith(' moderation'))

it('a report needs a channel to go to', async () => {
  const id = await send(anna, 'open', 'buy now')
  const refused = {
    error: 'BAD_REQUEST',
    message: 'Moderation request channel must be specified to enable message reporting.',
  }
  await expect(report(ben, id)).rejects.toMatchObject(refused)
  await room.settle({ moderation_request_channel_id: 999_999 })
  await expect(report(ben, id)).rejects.toMatchObject(refused)
  await room.settle({ moderation_request_channel_id: moderation })
})

it('the moderators read who reported what, why, and where it is', async () => {
  const hostile = 'buy ``` now\n```quote\n@**all** @**Ben**\n```'
  const id = await send(anna, 'open', hostile)
  await report(ben, id, { report_type: 'harassment', description: 'see @**all**\n```\nmore' })
  const [message] = await reports()
  expect(message).toMatchObject({
    sender_id: systemBots.notification.id,
    subject: 'Anna moderation',
    flags: [],
  })
  expect(message!.content).toContain(`@_**Ben|${ben.user.id}** reported a message that @_**Anna|`)
  expect(message!.content).toContain('**Harassment**\nsee @**all**')
  expect(message!.content).toContain(`/near/${id}`)
  expect(message!.content).toContain(hostile)
  const [rendered] = (await room.call(listMessages, moderator, { message_ids: [message!.id] })).messages
  expect(rendered!.content).toContain('<div class="spoiler-block">')
})

it('also of what only two can read, and of a very long message', async () => {
  const content = `${'x'.repeat(9990)} end`
  const { id } = await room.call(sendMessage, anna, { type: 'direct', to: [ben.user.id], content })
  await report(ben, id, { report_type: 'other', description: 'y'.repeat(1000) })
  const last = (await reports()).at(-1)!
  expect(last.content).toContain(`to @_**Ben|${ben.user.id}**`)
  expect(last.content).toContain('xxx...')
  expect([...last.content].length).toBeLessThan(10_000)
})

it('is refused of what one cannot read, and without a reason', async () => {
  const closed = await send(anna, 'closed', 'secret')
  const open = await send(anna, 'open', 'news')
  const hidden = { error: 'BAD_REQUEST', message: 'Invalid message(s)' }
  await expect(report(ben, closed)).rejects.toMatchObject(hidden)
  await expect(report(guest, open)).rejects.toMatchObject(hidden)
  await expect(report(ben, 999_999)).rejects.toMatchObject(hidden)
  for (const more of [
    { report_type: 'bogus' },
    {},
    { report_type: 'other' },
    { report_type: 'other', description: ' ' },
    { report_type: 'spam', description: 'y'.repeat(1001) },
  ]) {
    await expect(report(ben, open, more), JSON.stringify(more)).rejects.toMatchObject({
      error: expect.any(String),
    })
  }
  for (const { key } of reportTypes) await report(ben, open, { report_type: key, description: 'd' })
})
