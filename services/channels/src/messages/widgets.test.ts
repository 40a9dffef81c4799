import type { KnownCaller } from '@parley/contracts'
import { messageEvent } from '@parley/contracts/channels/events'
import { messagesTopic } from '@parley/contracts/channels/topics'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { updateMessage } from '../message-changes/update-message.ts'
import { addSubmessage } from '../submessages/add-submessage.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { getMessage } from './get-message.ts'
import { sendAs } from './send-as.ts'
import { sendMessage } from './send-message.ts'
import { namedWidget } from './widget-of-message.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  ben = await room.person()
  const principals = [anna.user.id, ben.user.id]
  await room.call(addSubscriptions, anna, { subscriptions: [{ name: 'fun' }], principals })
  await room.announced()
})
afterAll(() => room.close())

const send = (content: string, more: object = {}) =>
  room.call(sendMessage, anna, { type: 'channel', to: 'fun', topic: 'games', content, ...more })
const zform = {
  widget_type: 'zform',
  extra_data: {
    type: 'choices',
    heading: 'Again?',
    choices: [{ short_name: 'Y', long_name: 'Yes', reply: 'yes' }],
  },
}

describe('a widget', () => {
  it('is named by the beginning of the text, with an option or a task per line', () => {
    const poll = (question: string, ...options: string[]) => ({
      ...{ widget_type: 'poll', extra_data: { question, options } },
    })
    const todo = (task_list_title: string, ...tasks: [string, string][]) => ({
      widget_type: 'todo',
      extra_data: { task_list_title, tasks: tasks.map(([task, desc]) => ({ task, desc })) },
    })
    expect(namedWidget('/poll  Lunch? ')).toEqual(poll('Lunch?'))
    expect(namedWidget('/poll')).toEqual(poll(''))
    expect(namedWidget('/poll Lunch?\n- pizza\r\n* soup \n\n  bread - butter')).toEqual(
      poll('Lunch?', 'pizza', 'soup', 'bread - butter'),
    )
    expect(namedWidget('/poll\npizza')).toEqual(poll('', 'pizza'))
    expect(namedWidget('/todo Release\ntag: by noon: sharp\n- ship')).toEqual(
      todo('Release', ['tag', 'by noon: sharp'], ['ship', '']),
    )
    for (const text of ['/pollen', ' /poll x', 'x /poll', '/Poll x', '/rsvp x', '/']) {
      expect(namedWidget(text), text).toBe(undefined)
    }
  })

  it('is the first submessage of its message, in the event, the fact and the listing', async () => {
    const { id } = await send('/poll Lunch "today"?\npizza')
    const [event, fact] = await room.announced()
    z.strictObject({ type: z.literal('message'), ...messageEvent.fields }).parse(event!.value)
    messagesTopic.value.parse(fact!.value)
    const content = JSON.stringify({
      widget_type: 'poll',
      extra_data: { question: 'Lunch "today"?', options: ['pizza'] },
    })
    const submessages = [
      { id: expect.any(Number), message_id: id, sender_id: anna.user.id, msg_type: 'widget', content },
    ]
    expect(event!.value.message.submessages).toEqual(submessages)
    expect(fact!.value.message.submessages).toEqual(submessages)
    expect((await room.call(getMessage, ben, { message_id: id })).message.submessages).toEqual(submessages)
    const vote = { type: 'vote', key: 'canned,0', vote: 1 }
    await room.call(addSubmessage, ben, {
      ...{ message_id: id, msg_type: 'widget', content: JSON.stringify(vote) },
    })
    expect((await room.call(getMessage, ben, { message_id: id })).message.submessages).toHaveLength(2)
    await expect(
      room.call(updateMessage, anna, { message_id: id, content: 'no poll' }),
    ).rejects.toMatchObject({
      message: 'Widgets cannot be edited.',
    })
    await room.call(updateMessage, anna, { message_id: id, topic: 'lunch' })
    expect((await room.call(getMessage, ben, { message_id: id })).message.subject).toBe('lunch')
    await room.announced()
  })

  it('is given by programs besides the text, and wins over it', async () => {
    for (const widget of [zform, { widget_type: 'poll', extra_data: { question: 'q', options: [] } }]) {
      const { id } = await send('/todo x', { widget_content: JSON.stringify(widget) })
      const { submessages } = (await room.call(getMessage, ben, { message_id: id })).message
      expect(submessages.map((one) => JSON.parse(one.content))).toEqual([widget])
    }
    const sent = {
      input: {
        realm: anna.realm,
        sender_id: anna.user.id,
        client: 'bot',
        to: { user_ids: [ben.user.id] },
        content: 'choose',
        widget_content: JSON.stringify(zform),
        name: 'post 1',
      },
      deps: room.deps,
      issuer: 'webhook-dispatcher',
    }
    const { id } = await sendAs.handle(sent as never)
    const { submessages } = (await room.call(getMessage, ben, { message_id: id })).message
    expect(submessages.map((one) => JSON.parse(one.content))).toEqual([zform])
    await room.announced()
  })

  it('is refused when it is none', async () => {
    const bad = [
      '{',
      '7',
      '{}',
      '{"widget_type":"poll"}',
      '{"widget_type":"bogus","extra_data":{}}',
      '{"widget_type":"zform","extra_data":{"type":"bogus"}}',
      '{"widget_type":"zform","extra_data":{"type":"choices","heading":"h","choices":[{"reply":"x"}]}}',
      `{"widget_type":"poll","extra_data":{"question":"${'x'.repeat(10_000)}","options":[]}}`,
    ]
    for (const widget_content of bad) {
      await expect(send('text', { widget_content }), widget_content).rejects.toMatchObject({
        error: 'BAD_REQUEST',
      })
    }
    expect(await room.announced()).toEqual([])
  })
})
