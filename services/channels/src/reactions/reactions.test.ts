import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getMessage } from '../messages/get-message.ts'
import { listMessages } from '../messages/list-messages.ts'
import { sendMessage } from '../messages/send-message.ts'
import { addSubmessage } from '../submessages/add-submessage.ts'
import { renderMessageText } from '../submessages/render-message-text.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { addReaction } from './add-reaction.ts'
import { removeReaction } from './remove-reaction.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller
let stranger: KnownCaller
let id: number
beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  ben = await room.person()
  stranger = await room.person()
  await room.call(addSubscriptions, anna, {
    subscriptions: [{ name: 'reactions' }],
    principals: [anna.user.id, ben.user.id],
    invite_only: true,
  })
  const message = { type: 'channel', to: 'reactions', topic: 'talk', content: 'nice' }
  id = (await room.call(sendMessage, anna, message)).id
})
afterAll(() => room.close())

const react = (by: KnownCaller, more: object, message_id = id) =>
  room.call(addReaction, by, { message_id, ...more })
const takeBack = (by: KnownCaller, more: object) => room.call(removeReaction, by, { message_id: id, ...more })
const shown = async () => (await room.call(getMessage, ben, { message_id: id })).message.reactions

describe('a reaction', () => {
  it('is shown, told to those who have the message, found by its narrow, and taken back', async () => {
    await room.announced()
    await react(ben, { emoji_name: 'thumbs_up' })
    await react(anna, { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' })
    const thumbs = { emoji_name: 'thumbs_up', emoji_code: '1f44d', reaction_type: 'unicode_emoji' }
    // Whoever agrees uses the name that is there.
    expect(await shown()).toEqual([
      { ...thumbs, user_id: ben.user.id },
      { ...thumbs, user_id: anna.user.id },
    ])
    const [first] = await room.announced()
    expect(first!.value).toEqual({
      type: 'reaction',
      op: 'add',
      ...thumbs,
      user_id: ben.user.id,
      message_id: id,
    })
    expect(first!.audience.users).toEqual([anna.user.id, ben.user.id])
    const narrow = [['has', 'reaction']]
    const list = () => room.call(listMessages, ben, { anchor: 'newest', num_before: 9, num_after: 0, narrow })
    expect((await list()).messages.map((one) => one.id)).toEqual([id])
    await expect(react(ben, { emoji_name: '+1' })).rejects.toMatchObject({ error: 'REACTION_ALREADY_EXISTS' })
    await takeBack(ben, { emoji_name: 'thumbs_up' })
    await takeBack(anna, { emoji_code: '1f44d' })
    await expect(takeBack(anna, { emoji_name: '+1' })).rejects.toMatchObject({
      error: 'REACTION_DOES_NOT_EXIST',
    })
    expect(await shown()).toEqual([])
    expect((await list()).messages).toEqual([])
    expect((await room.announced()).map((one) => one.value.op)).toEqual(['remove', 'remove'])
  })

  it.each([
    [{ emoji_name: 'no_such_thing' }, "Emoji 'no_such_thing' does not exist"],
    [{ emoji_name: '+1', emoji_code: 'beef' }, 'Invalid emoji code.'],
    [{ emoji_name: 'heart', emoji_code: '1f44d' }, 'Invalid emoji name.'],
    [{ emoji_name: 'x', emoji_code: '1', reaction_type: 'realm_emoji' }, 'Invalid custom emoji.'],
  ])('%j is refused', async (emoji, message) => {
    await expect(react(ben, emoji)).rejects.toMatchObject({ error: 'BAD_REQUEST', message })
  })

  it('needs a message that can be read', async () => {
    for (const [by, message] of [
      [stranger, id],
      [ben, 999_999],
    ] as const) {
      await expect(react(by, { emoji_name: '+1' }, message)).rejects.toMatchObject({
        error: 'BAD_REQUEST',
        message: 'Invalid message(s)',
      })
    }
  })
})

it.each([
  ['a reaction', (message_id: number) => react(anna, { emoji_name: '+1' }, message_id)],
  [
    'a submessage',
    (message_id: number) =>
      room.call(addSubmessage, anna, { message_id, msg_type: 'widget', content: '{"type":"vote"}' }),
  ],
])('%s is told to who has joined at the same moment', async (what, act) => {
  const newcomer = await room.person()
  const channel = { subscriptions: [{ name: what }] }
  await room.call(addSubscriptions, anna, channel)
  const message = { type: 'channel', to: what, topic: 'talk', content: 'nice' }
  const { id: open } = await room.call(sendMessage, anna, message)
  await room.announced()
  const order = await room.hold((sql) => sql`SELECT lock_realm_order(${room.realm.id})`)
  const joining = room.call(addSubscriptions, newcomer, channel)
  await room.heldUp(1)
  const acting = act(open)
  await room.heldUp(2)
  await order.letGo()
  await Promise.all([joining, acting])
  const told = (await room.announced()).find(({ value }) => ['reaction', 'submessage'].includes(value.type))
  expect(told!.audience.users).toEqual([anna.user.id, newcomer.user.id])
})

describe('what hangs on a message', () => {
  it('is added by its sender, in JSON, and told to those who have it', async () => {
    await room.announced()
    const use = { message_id: id, msg_type: 'widget', content: '{"type":"vote","key":"canned,0","vote":1}' }
    const stranded = room.call(addSubmessage, stranger, use)
    await expect(stranded).rejects.toMatchObject({ message: 'Invalid message(s)' })
    await expect(room.call(addSubmessage, ben, use)).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    await expect(room.call(addSubmessage, anna, { ...use, content: '{' })).rejects.toMatchObject({
      message: 'Invalid json for submessage',
    })
    await room.call(addSubmessage, anna, use)
    const [event] = await room.announced()
    expect(event!.value).toMatchObject({
      type: 'submessage',
      msg_type: 'widget',
      content: use.content,
      message_id: id,
      sender_id: anna.user.id,
    })
    const { message } = await room.call(getMessage, ben, { message_id: id })
    expect(message.submessages).toEqual([
      {
        id: event!.value.submessage_id,
        message_id: id,
        sender_id: anna.user.id,
        msg_type: 'widget',
        content: use.content,
      },
    ])
  })

  it('a text is rendered as in a message', async () => {
    expect(await room.call(renderMessageText, ben, { content: '**hi**' })).toEqual({
      rendered: '<p><strong>hi</strong></p>',
    })
    await expect(room.call(renderMessageText, ben, { content: ' ' })).rejects.toMatchObject({
      error: 'BAD_REQUEST',
    })
  })
})
