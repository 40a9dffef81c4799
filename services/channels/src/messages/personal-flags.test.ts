import type { KnownCaller, SectionOptions } from '@parley/contracts'
import { mutedTopicsEvent, userTopicEvent } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDrafts } from '../drafts/create-drafts.ts'
import { draftsSection } from '../drafts/drafts-section.ts'
import { updateMessage } from '../message-changes/update-message.ts'
import { addReaction } from '../reactions/add-reaction.ts'
import { unreadSection } from '../read-state/unread-section.ts'
import { updateMessageFlags } from '../read-state/update-message-flags.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { updateSubscriptionProperties } from '../subscriptions/update-subscription-properties.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { updateUserTopic } from '../user-topics/update-user-topic.ts'
import { listMessages } from './list-messages.ts'
import { sendMessage } from './send-message.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller
let carl: KnownCaller
let stranger: KnownCaller
let bot: KnownCaller
let channel: number

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person('member', { full_name: 'Anna' })
  ben = await room.person('member', { full_name: 'Ben' })
  carl = await room.person('member', { full_name: 'Carl' })
  stranger = await room.person('member', { full_name: 'Strange' })
  bot = await room.person('member', { full_name: 'Bot', bot_type: 1 })
  await room.call(addSubscriptions, anna, {
    subscriptions: [{ name: 'talk' }],
    principals: [anna, ben, carl, bot].map((one) => one.user.id),
  })
  channel = (await room.deps.channels.byName(room.realm.id, 'talk'))!.id
})
afterAll(() => room.close())
beforeEach(async () => void (await room.announced()))

let topics = 0
const newTopic = () => {
  topics += 1
  return `Topic ${topics}`
}
const send = (from: KnownCaller, content: string, topic = 'known', more: object = {}) =>
  room.call(sendMessage, from, { type: 'channel', to: channel, topic, content, ...more })
const edit = (by: KnownCaller, message_id: number, more: object) =>
  room.call(updateMessage, by, { message_id, ...more })
const flagsOf = async (reader: KnownCaller, id: number) => {
  const { messages } = await room.call(listMessages, reader, { message_ids: [id] })
  return messages[0]!.flags.toSorted()
}
const told = async (type: string) => (await room.announced()).filter((one) => one.value.type === type)
const matching = async (reader: KnownCaller, operand: string, negated = false) =>
  (
    await room.call(listMessages, reader, {
      ...{ anchor: 'newest', num_before: 1000, num_after: 0, narrow: [{ operator: 'is', operand, negated }] },
    })
  ).messages.map((one) => one.id)

describe('alert words', () => {
  it('mark a message for the subscribers who chose them, whatever the case, until an edit takes them away', async () => {
    await room.choose(ben, { alert_words: ['deploy', 'c++'] })
    await room.choose(stranger, { alert_words: ['deploy'] })
    const { id } = await send(anna, 'Deploy **now**')
    const [event] = await told('message')
    expect(event!.audience.personal).toEqual({
      [anna.user.id]: { flags: ['read'] },
      [ben.user.id]: { flags: ['has_alert_word'] },
    })
    expect(await flagsOf(ben, id)).toEqual(['has_alert_word'])
    expect(await flagsOf(stranger, id)).toEqual(['historical', 'read'])
    expect(await flagsOf(carl, id)).toEqual([])
    expect(await matching(ben, 'alerted')).toEqual([id])

    await edit(anna, id, { content: 'undeployed' })
    expect(await flagsOf(ben, id)).toEqual([])
    await edit(anna, id, { content: 'in C++, @**Ben**' })
    expect(await flagsOf(ben, id)).toEqual(['has_alert_word', 'mentioned'])
    await room.choose(ben, { alert_words: [] })
    const later = await send(anna, 'deploy')
    expect(await flagsOf(ben, later.id)).toEqual([])

    await room.choose(ben, { alert_words: ['deploy'] })
    const direct = await room.call(sendMessage, anna, {
      ...{ type: 'direct', to: [carl.user.id], content: 'deploy' },
    })
    expect(await flagsOf(carl, direct.id)).toEqual([])
    const { count } = await room.deps.database.sql`
      SELECT FROM message_flags WHERE message_id = ${direct.id}`
    expect(count).toBe(0)
  })
})

describe('messages of somebody who is muted', () => {
  it('are read when they come, and all that are there become read; what comes after is news again', async () => {
    const before = await send(bot, 'before')
    const marked = await send(bot, 'marked unread')
    await room.call(updateMessageFlags, ben, { messages: [marked.id], op: 'add', flag: 'read' })
    await room.call(updateMessageFlags, ben, { messages: [marked.id], op: 'remove', flag: 'read' })
    await room.announced()
    await room.choose(ben, { muted_user_ids: [bot.user.id] })
    const [added] = await told('update_message_flags')
    expect(added).toMatchObject({
      value: { op: 'add', flag: 'read', messages: [before.id, marked.id], all: false },
      audience: { users: [ben.user.id] },
    })
    const during = await send(bot, 'during')
    const [event] = await told('message')
    expect(event!.audience.personal[ben.user.id]).toEqual({ flags: ['read'] })
    expect(event!.audience.personal[carl.user.id]).toBe(undefined)
    await edit(anna, (await send(anna, 'x')).id, { content: 'y' })
    for (const { id } of [before, marked, during]) {
      expect(await flagsOf(ben, id)).toEqual(['read'])
      expect(await flagsOf(carl, id)).toEqual([])
    }
    expect(await matching(ben, 'unread')).not.toContain(during.id)
    expect(await matching(ben, 'unread', true)).toEqual(expect.arrayContaining([before.id, during.id]))
    const unread = () =>
      room.deps.database.snapshot(async (sql, snapshot) => {
        const options = { client_capabilities: {} } as SectionOptions
        const context = { caller: ben, options, sql, snapshot, deps: room.deps }
        const { unread_msgs } = await unreadSection.read(context as never)
        return unread_msgs.streams.flatMap((one) => one.unread_message_ids)
      })
    expect(await unread()).not.toContain(during.id)
    // Somebody who wants to come back to one of them says so.
    await room.call(updateMessageFlags, ben, { messages: [during.id], op: 'remove', flag: 'read' })
    expect(await flagsOf(ben, during.id)).toEqual([])
    await room.announced()
    await edit(bot, during.id, { content: 'during it' })
    const updates = await told('update_message')
    const forBen = updates.find((one) => one.audience.users.includes(ben.user.id))!
    expect(forBen.value.flags).toEqual([])

    await room.choose(ben, { muted_user_ids: [] })
    const after = await send(bot, 'after')
    expect(await flagsOf(ben, after.id)).toEqual([])
    expect(await flagsOf(ben, before.id)).toEqual(['read'])
    expect(await unread()).toContain(after.id)
    const { id } = await send(bot, 'again')
    await room.choose(ben, { muted_user_ids: [bot.user.id] })
    expect(await flagsOf(ben, id)).toEqual(['read'])
    await room.choose(ben, { muted_user_ids: [] })
  })
})

describe('topics that one takes part in', () => {
  const policies = async () =>
    (await told('user_topic')).map(({ value, audience }) => {
      z.strictObject({ type: z.literal('user_topic'), ...userTopicEvent.fields }).parse(value)
      return [audience.users, value.topic_name, value.visibility_policy]
    })
  const set = (who: KnownCaller, topic: string, visibility_policy: number) =>
    room.call(updateUserTopic, who, { stream_id: channel, topic, visibility_policy })

  it('are followed by whoever starts them, unless they chose otherwise; the sender is told', async () => {
    const topic = newTopic()
    expect(await send(anna, 'first', topic)).toMatchObject({ automatic_new_visibility_policy: 3 })
    expect(await policies()).toEqual([[[anna.user.id], topic, 3]])
    expect(await send(anna, 'second', topic)).not.toHaveProperty('automatic_new_visibility_policy')
    expect(await send(ben, 'third', topic.toUpperCase())).not.toHaveProperty(
      'automatic_new_visibility_policy',
    )
    expect(await send(bot, 'a bot', newTopic())).not.toHaveProperty('automatic_new_visibility_policy')
    expect(await policies()).toEqual([])
    const queue = { queue_id: 'q', local_id: 'once' }
    const other = newTopic()
    expect(await send(ben, 'x', other, queue)).toMatchObject({ automatic_new_visibility_policy: 3 })
    expect(await send(ben, 'x', other, queue)).not.toHaveProperty('automatic_new_visibility_policy')

    await room.choose(ben, { settings: { automatically_follow_topics_policy: 2 } })
    expect(await send(ben, 'sent', topic)).toMatchObject({ automatic_new_visibility_policy: 3 })
    await room.choose(ben, { settings: { automatically_follow_topics_policy: 4 } })
    await room.announced()
    expect(await send(ben, 'never', newTopic())).not.toHaveProperty('automatic_new_visibility_policy')
    await Promise.all([1, 2, 3].map(() => send(ben, 'never', newTopic())))
    expect(await policies()).toEqual([])
  })

  it('are unmuted in a muted channel, and never less than they were', async () => {
    const mute = (value: boolean) =>
      room.call(updateSubscriptionProperties, carl, {
        subscription_data: [{ stream_id: channel, property: 'is_muted', value }],
      })
    await mute(true)
    const topic = newTopic()
    await send(bot, 'start', topic)
    await room.announced()
    expect(await send(carl, 'in', topic)).toMatchObject({ automatic_new_visibility_policy: 2 })
    expect(await policies()).toEqual([[[carl.user.id], topic, 2]])
    await set(carl, topic, 3)
    await room.announced()
    expect(await send(carl, 'followed', topic)).not.toHaveProperty('automatic_new_visibility_policy')
    // Who starts one follows it, muted channel or not.
    expect(await send(carl, 'new', newTopic())).toMatchObject({ automatic_new_visibility_policy: 3 })
    await set(carl, topic, 1)
    await room.announced()
    expect(await send(carl, 'muted', topic)).toMatchObject({ automatic_new_visibility_policy: 2 })
    const [legacy] = await told('muted_topics')
    z.strictObject({ type: z.literal('muted_topics'), ...mutedTopicsEvent.fields }).parse(legacy!.value)
    expect(legacy!.value.muted_topics).toEqual([])
    await mute(false)
    expect(await send(carl, 'not muted', newTopic())).toMatchObject({ automatic_new_visibility_policy: 3 })
  })

  it('are followed by subscribers who are mentioned by name, unless they muted them', async () => {
    await room.choose(stranger, { alert_words: [] })
    const topic = newTopic()
    await send(bot, 'hello @**Ben** @**Strange** @**Bot** @_**Carl**', topic)
    expect(await policies()).toEqual([[[ben.user.id], topic, 3]])
    await set(carl, topic, 1)
    await room.announced()
    const { id } = await send(bot, 'you @**Carl** and @**Ben**', topic)
    expect(await policies()).toEqual([])
    const next = newTopic()
    await edit(bot, id, { topic: next, content: 'and @**Anna**' })
    const moved = await policies()
    expect(moved).toEqual([[[anna.user.id], next, 3]])
    await room.choose(anna, { settings: { automatically_follow_topics_where_mentioned: false } })
    await send(bot, 'you @**Anna**', newTopic())
    expect(await policies()).toEqual([])
  })

  it('are followed by a reaction where that is wanted', async () => {
    const topic = newTopic()
    const { id } = await send(bot, 'react', topic)
    await room.announced()
    await room.call(addReaction, carl, { message_id: id, emoji_name: 'tada' })
    expect(await policies()).toEqual([])
    await room.choose(ben, { settings: { automatically_follow_topics_policy: 1 } })
    await room.call(addReaction, ben, { message_id: id, emoji_name: 'tada' })
    expect(await policies()).toEqual([[[ben.user.id], topic, 3]])
  })

  it('cost a send no row where nothing changes', async () => {
    const rows = async () => {
      const [row] = await room.deps.database.sql<{ n: number }[]>`SELECT count(*)::int AS n FROM user_topics`
      return row!.n
    }
    const before = await rows()
    await Promise.all(Array.from({ length: 20 }, () => send(carl, 'again', 'known')))
    expect(await rows()).toBe(before)
  })
})

describe('other choices', () => {
  it('emoticons become emoji for who wants them', async () => {
    const rendered = async () => {
      const { id } = await send(anna, 'hi :)')
      return (await room.call(listMessages, ben, { message_ids: [id] })).messages[0]!.content
    }
    expect(await rendered()).toBe('<p>hi :)</p>')
    await room.choose(anna, { settings: { translate_emoticons: true } })
    expect(await rendered()).toContain('class="emoji emoji-1f642"')
  })

  it('who does not synchronize drafts has none here', async () => {
    const drafts = () =>
      room.deps.database.snapshot(
        async (sql, snapshot) =>
          (
            await draftsSection.read({
              ...{ caller: anna, options: {} as SectionOptions, sql, snapshot, deps: room.deps },
            } as never)
          ).drafts,
      )
    await room.call(createDrafts, anna, { drafts: [{ type: '', to: [], topic: '', content: 'idea' }] })
    expect(await drafts()).toHaveLength(1)
    await room.choose(anna, { settings: { enable_drafts_synchronization: false } })
    expect(await drafts()).toEqual([])
    await room.choose(anna, { settings: {} })
    expect(await drafts()).toEqual([])
  })
})
