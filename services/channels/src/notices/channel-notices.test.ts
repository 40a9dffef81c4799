import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { archiveChannel } from '../channels/archive-channel.ts'
import { createChannel } from '../channels/create-channel.ts'
import { updateChannel } from '../channels/update-channel.ts'
import { createChannelFolder } from '../folders/create-channel-folder.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { updateSubscriptions } from '../subscriptions/update-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { noticeWork } from './send-notices.ts'

let room: TestRoom
let admin: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let bot: KnownCaller
let news: number
beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator', { full_name: 'Ada' })
  anna = await room.person('member', { full_name: 'Anna' })
  ben = await room.person()
  bot = await room.person('member', { bot_type: 1, bot_owner_id: ben.user.id })
  news = (await room.call(createChannel, admin, { name: 'news', subscribers: [admin.user.id] })).id
})
afterAll(() => room.close())
beforeEach(async () => void (await said()))

/** What was written down to be said since the last time. */
const said = () =>
  room.deps.database.sql<
    { channel_id: number | null; topic: string | null; user_ids: number[] | null; content: string }[]
  >`
    WITH taken AS (DELETE FROM notices RETURNING *)
    SELECT channel_id, topic, user_ids, content FROM taken ORDER BY id`
const by = (who: KnownCaller, name: string) => `@_**${name}|${who.user.id}**`
const subscribe = (who: KnownCaller, names: string[], more: object = {}) =>
  room.call(addSubscriptions, who, { subscriptions: names.map((name) => ({ name })), ...more })

describe('channels that are made', () => {
  it('are announced where the organization wants it, if it was asked for, private ones nowhere', async () => {
    await subscribe(anna, ['quiet'], { announce: true })
    expect(await said()).toEqual([])
    await room.settle({ new_stream_announcements_stream_id: news })
    await subscribe(anna, ['silent'])
    await subscribe(anna, ['silent'], { announce: true })
    await subscribe(anna, ['hidden'], { announce: true, invite_only: true })
    expect(await said()).toEqual([])
    await subscribe(anna, ['one', 'quiet'], { announce: true })
    await subscribe(anna, ['two', 'three'], { announce: true })
    await room.call(createChannel, anna, {
      name: 'four',
      subscribers: [anna.user.id, ben.user.id],
      announce: true,
    })
    const place = { channel_id: news, topic: 'new channels', user_ids: null }
    expect(await said()).toEqual([
      { ...place, content: `${by(anna, 'Anna')} created a new channel #**one**.` },
      { ...place, content: `${by(anna, 'Anna')} created the following channels: #**three**, #**two**.` },
      { ...place, content: `${by(anna, 'Anna')} created a new channel #**four**.` },
    ])
  })
})

describe('people whom somebody else subscribes', () => {
  it('are told by the notification bot, bots and who comes into a new channel are not', async () => {
    await subscribe(anna, ['old', 'older'])
    await subscribe(anna, ['locked'], { invite_only: true })
    const principals = [anna, ben, bot].map((one) => one.user.id)
    expect(await subscribe(anna, ['brand new'], { principals })).toMatchObject({
      new_subscription_messages_sent: true,
    })
    expect(await said()).toEqual([])
    await subscribe(anna, ['old'], { principals })
    await subscribe(anna, ['old', 'older', 'locked', 'newest'], { principals })
    await subscribe(ben, ['old'])
    const place = { channel_id: null, topic: null, user_ids: [ben.user.id] }
    expect(await said()).toEqual([
      { ...place, content: `${by(anna, 'Anna')} subscribed you to the channel #**old**.` },
      {
        ...place,
        content: expect.stringMatching(/ subscribed you to the following channels:\n\n(\* .*\n?){2}$/),
      },
    ])
  })

  it('are told nothing when that is not wished, or when they are many', async () => {
    await subscribe(anna, ['crowd'])
    const silent = { principals: [ben.user.id], send_new_subscription_messages: false }
    expect(await subscribe(anna, ['crowd'], silent)).not.toHaveProperty('new_subscription_messages_sent')
    const many = await Promise.all(Array.from({ length: 101 }, () => room.person()))
    const principals = many.map((one) => one.user.id)
    expect(await subscribe(anna, ['crowd'], { principals })).toMatchObject({
      new_subscription_messages_sent: false,
    })
    const own = await room.call(updateSubscriptions, ben, { add: [{ name: 'news' }] })
    expect(own.new_subscription_messages_sent).toBe(true)
    expect(await said()).toEqual([])
  })
})

describe('channels that are changed', () => {
  it('say so in a topic of their own, each change once', async () => {
    const { id } = await room.call(createChannel, admin, { name: 'plans', subscribers: [admin.user.id] })
    const folder = (await room.call(createChannelFolder, admin, { name: 'Work*s*', description: '' }))
      .channel_folder_id
    const update = (changes: object) => room.call(updateChannel, admin, { stream_id: id, ...changes })
    await update({ new_name: 'plans 2' })
    await update({ new_name: 'plans 2' })
    await update({ description: 'All @**Anna** wants' })
    await update({ is_private: true })
    await update({ history_public_to_subscribers: false })
    await update({ folder_id: folder })
    await update({ folder_id: null })
    await update({ topics_policy: 'disable_empty_topic' })
    await update({ can_send_message_group: { new: room.realm.system_groups['role:moderators'] } })
    await update({
      can_send_message_group: { new: { direct_members: [anna.user.id], direct_subgroups: [] } },
    })
    const notices = await said()
    const start = `${by(admin, 'Ada')} `
    expect(new Set(notices.map(({ channel_id, topic }) => `${channel_id} ${topic}`))).toEqual(
      new Set([`${id} channel events`]),
    )
    expect(notices.map(({ content }) => content.replace(start, ''))).toEqual([
      'renamed this channel from **plans** to **plans 2**.',
      expect.stringContaining(
        '**Before:**\n\n*No description.*\n\n* **Now:**\n\n`````` quote\nAll @**Anna** wants\n',
      ),
      'changed who has access to this channel from **public** to **private, shared history**.',
      'changed who has access to this channel from **private, shared history** to **private, protected history**.',
      'moved this channel to the folder **Work s**.',
      'took this channel out of the folder **Work s**.',
      'changed the topics of this channel from **as in the organization** to **only with a topic**.',
      'changed who may post in this channel from **everyone** to **moderators**.',
      'changed who may post in this channel from **moderators** to **certain people**.',
    ])
    await room.settle({ send_channel_events_messages: false })
    await update({ new_name: 'plans 3' })
    await room.settle({ send_channel_events_messages: true })
    expect(await said()).toEqual([])
  })

  it('say that they are archived while they can, and that they are back', async () => {
    const { id } = await room.call(createChannel, admin, { name: 'ended', subscribers: [admin.user.id] })
    const texts = () =>
      room.deps.database.sql<{ topic: string; content: string }[]>`
        SELECT topic, content FROM messages WHERE channel_id = ${id} ORDER BY id`
    await room.announced()
    await room.call(archiveChannel, admin, { stream_id: id })
    const [message, archived] = (await room.announced()).filter((row) => row.topic === 'client-events')
    expect(message!.value).toMatchObject({ type: 'message', message: { stream_id: id } })
    expect(archived!.value).toMatchObject({ property: 'is_archived', value: true })
    expect(await texts()).toEqual([
      { topic: 'channel events', content: `${by(admin, 'Ada')} archived this channel.` },
    ])
    await room.call(updateChannel, admin, { stream_id: id, new_name: 'ended 2' })
    expect(await said()).toEqual([])
    await room.call(updateChannel, admin, { stream_id: id, is_archived: false })
    expect(await said()).toMatchObject([{ content: expect.stringContaining('brought this channel back') }])
    await room.call(updateChannel, admin, { stream_id: id, is_archived: true })
    expect(await texts()).toHaveLength(2)
  })

  it('speak without a topic where there are none, and what was said before does not forbid that', async () => {
    const { id } = await room.call(createChannel, admin, { name: 'flat', subscribers: [admin.user.id] })
    await room.call(updateChannel, admin, { stream_id: id, new_name: 'flatter' })
    while (await noticeWork(room.deps).takeOne());
    const topics = async () =>
      (await room.deps.database.sql`SELECT topic FROM messages WHERE channel_id = ${id}`).map(
        (row) => row.topic,
      )
    expect(await topics()).toEqual(['channel events'])
    await room.call(updateChannel, admin, { stream_id: id, topics_policy: 'empty_topic_only' })
    expect(await said()).toMatchObject([{ channel_id: id, topic: '' }])
  })
})
