import type { KnownCaller } from '@parley/contracts'
import { streamCreate, streamUpdate, subscriptionAdd } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sendMessage } from '../messages/send-message.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { listSubscriptions } from '../subscriptions/list-subscriptions.ts'
import { streamSection } from '../subscriptions/stream-section.ts'
import { type Announced, openTestRoom, type TestRoom } from '../test-room.ts'
import { listChannelTopics } from '../topics/list-channel-topics.ts'
import { archiveChannel } from './archive-channel.ts'
import { weeklyTraffic } from './channel-presentation.ts'
import { channelsUsingGroup } from './channels-using-group.ts'
import { countTraffic } from './count-traffic.ts'
import { createChannel } from './create-channel.ts'
import { getChannel } from './get-channel.ts'
import { getChannelEmail } from './get-channel-email.ts'
import { getChannelId } from './get-channel-id.ts'
import { updateChannel } from './update-channel.ts'

let room: TestRoom
let owner: KnownCaller
let admin: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let guest: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  owner = await room.person('owner')
  admin = await room.person('administrator')
  anna = await room.person()
  ben = await room.person()
  guest = await room.person('guest')
})
afterAll(() => room.close())
beforeEach(async () => void (await room.announced()))

const ids = (...people: KnownCaller[]) => people.map((one) => one.user.id)
const told = (row: Announced) => [`${row.value.type} ${row.value.op}`, row.audience.users.toSorted()] as const
let made = 0
const channelWith = async (people: KnownCaller[], more: object = {}, by = anna) => {
  made += 1
  const name = `channel ${made}`
  const { id } = await room.call(createChannel, by, { name, subscribers: ids(...people), ...more })
  await room.announced()
  return id
}
const update = (by: KnownCaller, stream_id: number, changes: object) =>
  room.call(updateChannel, by, { stream_id, ...changes })
const show = async (by: KnownCaller, stream_id: number) =>
  (await room.call(getChannel, by, { stream_id })).stream
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error) => `${error.error}: ${error.message}`,
  )
const insufficient = 'BAD_REQUEST: Insufficient permission'
const named = (...people: KnownCaller[]) => ({ direct_members: ids(...people), direct_subgroups: [] })

describe('making a channel', () => {
  it('gives it everything that was asked for, and tells those who may know', async () => {
    const { id } = await room.call(createChannel, owner, {
      name: 'Everything',
      description: 'All *of* it',
      subscribers: ids(owner, ben),
      invite_only: true,
      history_public_to_subscribers: true,
      message_retention_days: 'unlimited',
      topics_policy: 'disable_empty_topic',
      default_push_notifications: true,
      can_subscribe_group: named(anna),
      can_send_message_group: {
        direct_members: [],
        direct_subgroups: [room.realm.system_groups['role:members']],
      },
    })
    const rows = await room.announced()
    expect(rows.map(told)).toEqual([
      ['stream create', ids(owner, admin, anna, ben)],
      ['subscription add', ids(owner, ben)],
      ['subscription peer_add', ids(admin, anna)],
    ])
    expect(rows[1]!.value.subscriptions[0].push_notifications).toBe(true)
    expect(await show(anna, id)).toMatchObject({
      name: 'Everything',
      description: 'All *of* it',
      rendered_description: '<p>All <em>of</em> it</p>',
      invite_only: true,
      history_public_to_subscribers: true,
      message_retention_days: -1,
      topics_policy: 'disable_empty_topic',
      default_push_notifications: true,
      can_subscribe_group: named(anna),
      can_send_message_group: room.realm.system_groups['role:members'],
      can_administer_channel_group: named(owner),
      subscriber_count: 2,
      stream_weekly_traffic: null,
    })
    expect(await refusal(show(guest, id))).toBe('BAD_REQUEST: Invalid channel ID')
  })

  it('is refused where a permission is missing, and then nothing is made', async () => {
    const create = (by: KnownCaller, more: object) =>
      refusal(room.call(createChannel, by, { name: 'refused', subscribers: ids(by), ...more }))
    expect(await create(guest, {})).toBe(insufficient)
    expect(await create(anna, { is_default_stream: true })).toBe(insufficient)
    expect(await create(anna, { default_push_notifications: true })).toBe(insufficient)
    expect(await create(admin, { message_retention_days: 3 })).toBe(
      'UNAUTHORIZED_PRINCIPAL: Must be an organization owner',
    )
    expect(await create(anna, { can_delete_any_message_group: named(anna) })).toBe(insufficient)
    expect(await create(owner, { is_web_public: true })).toBe(
      'BAD_REQUEST: Web-public channels are not enabled.',
    )
    expect(await create(anna, { invite_only: true, is_web_public: true })).toBe(
      'BAD_REQUEST: Invalid parameters',
    )
    expect(await create(owner, { invite_only: true, is_default_stream: true })).toBe(
      'BAD_REQUEST: A default channel cannot be private.',
    )
    expect(await create(anna, { folder_id: 999 })).toBe('BAD_REQUEST: Invalid channel folder ID')
    expect(await create(anna, { can_subscribe_group: 999 })).toBe('BAD_REQUEST: Invalid user group ID: 999')
    expect(
      await create(anna, { can_subscribe_group: named({ ...anna, user: { ...anna.user, id: 5 } }) }),
    ).toBe('BAD_REQUEST: Invalid user ID: 5')
    expect(await create(anna, { message_retention_days: 0 })).toMatch('BAD_REQUEST')
    const everyone = room.realm.system_groups['role:everyone']
    const topics = { can_create_topic_group: named(anna) }
    expect(await create(anna, { ...topics, invite_only: true })).toMatch('BAD_REQUEST: In a channel with')
    expect(await create(anna, { can_subscribe_group: everyone })).toBe(
      "BAD_REQUEST: 'can_subscribe_group' setting cannot be set to 'role:everyone' group.",
    )
    await room.settle({ can_create_public_channel_group: room.realm.system_groups['role:administrators'] })
    expect(await create(anna, {})).toBe(insufficient)
    expect(await refusal(room.call(addSubscriptions, anna, { subscriptions: [{ name: 'refused' }] }))).toBe(
      insufficient,
    )
    await room.settle({ can_create_public_channel_group: room.realm.system_groups['role:members'] })
    expect(await refusal(room.call(getChannelId, owner, { stream: 'refused' }))).toBe(
      "BAD_REQUEST: Invalid channel name 'refused'",
    )
  })

  it('happens once for a name, whatever the case', async () => {
    const create = (name: string) => refusal(room.call(createChannel, anna, { name, subscribers: [] }))
    const outcomes = await Promise.all(['Twice', 'TWICE', 'twice', ' twice '].map(create))
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1)
    const rest = outcomes.filter((outcome) => outcome !== 'accepted')
    for (const outcome of rest) expect(outcome).toMatch(/^BAD_REQUEST: Channel 'twice' already exists$/i)
  })
})

describe('changing a channel', () => {
  it('tells each property to those who know of it', async () => {
    const id = await channelWith([anna, guest])
    await update(anna, id, {
      new_name: 'Renamed',
      description: 'New\nlines',
      topics_policy: 'allow_empty_topic',
      can_send_message_group: {
        new: named(anna),
        old: room.realm.system_groups['role:everyone'],
      },
    })
    const rows = await room.announced()
    expect(rows.map(({ value }) => [value.property, value.value])).toEqual([
      ['name', 'Renamed'],
      ['topics_policy', 'allow_empty_topic'],
      ['description', 'New lines'],
      ['can_send_message_group', named(anna)],
    ])
    for (const row of rows) {
      expect(row.value).toMatchObject({ stream_id: id, name: expect.stringMatching(/^channel/) })
      expect(row.audience.users.toSorted()).toEqual(ids(owner, admin, anna, ben, guest))
    }
    expect(rows[2]!.value.rendered_description).toBe('<p>New lines</p>')
    await update(anna, id, { new_name: 'Renamed', description: 'New lines' })
    expect(await room.announced()).toEqual([])
    expect(await show(guest, id)).toMatchObject({ name: 'Renamed', topics_policy: 'allow_empty_topic' })
  })

  it('is for those who administer it, and for some things only for others', async () => {
    const id = await channelWith([anna, ben], { invite_only: true })
    const cannot = 'CANNOT_ADMINISTER_CHANNEL: You do not have permission to administer this channel.'
    expect(await refusal(update(ben, id, { description: 'x' }))).toBe(cannot)
    expect(await refusal(update(guest, id, { description: 'x' }))).toBe('BAD_REQUEST: Invalid channel ID')
    expect(await refusal(update({ ...owner, realm: { ...owner.realm, id: 8 } }, id, {}))).toMatch(
      'REALM_DEACTIVATED',
    )
    expect(await refusal(update(anna, id, { message_retention_days: 5 }))).toMatch('UNAUTHORIZED_PRINCIPAL')
    expect(await refusal(update(anna, id, { default_push_notifications: true }))).toBe(insufficient)
    expect(await refusal(update(anna, id, { can_delete_own_message_group: { new: named(anna) } }))).toBe(
      insufficient,
    )
    const content = 'BAD_REQUEST: Channel content access is required.'
    expect(await refusal(update(owner, id, { is_private: false }))).toBe(content)
    expect(await refusal(update(owner, id, { can_subscribe_group: { new: named(owner) } }))).toBe(content)
    expect(await refusal(update(owner, id, { description: 'x' }))).toBe('accepted')
    expect(await refusal(update(anna, id, { is_default_stream: true }))).toBe(insufficient)
    expect(await refusal(update(owner, id, { is_default_stream: true }))).toBe(
      'BAD_REQUEST: A default channel cannot be private.',
    )
    expect(await refusal(update(anna, id, { is_private: false, history_public_to_subscribers: false }))).toBe(
      'BAD_REQUEST: Invalid parameters',
    )
    expect(await refusal(update(anna, id, { can_send_message_group: { new: named(anna), old: 1 } }))).toBe(
      "EXPECTATION_MISMATCH: 'old' value does not match the expected value.",
    )
    const other = await channelWith([anna])
    const { name } = await show(anna, other)
    expect(await refusal(update(anna, id, { new_name: name.toUpperCase() }))).toBe(
      'BAD_REQUEST: Channel name is already in use.',
    )
    expect(await refusal(update(anna, id, { new_name: ' ' }))).toBe(
      "BAD_REQUEST: Channel name can't be empty.",
    )
  })

  it('keeps what goes together', async () => {
    const id = await channelWith([admin, anna], { invite_only: true, history_public_to_subscribers: true })
    await room.settle({ moderation_request_channel_id: id })
    expect(await refusal(update(admin, id, { is_private: false }))).toBe(
      'BAD_REQUEST: A moderation request channel cannot be public.',
    )
    await room.settle({ moderation_request_channel_id: -1 })
    const protect = { history_public_to_subscribers: false }
    await update(anna, id, { can_create_topic_group: { new: named(anna) } })
    expect(await refusal(update(anna, id, protect))).toMatch('BAD_REQUEST: In a channel with protected')
    const everyone = { new: room.realm.system_groups['role:everyone'] }
    await update(anna, id, { ...protect, can_create_topic_group: everyone })
    expect(await refusal(update(anna, id, { can_create_topic_group: { new: named(anna) } }))).toMatch(
      'BAD_REQUEST: In a channel with protected',
    )
    await room.announced()
  })

  it('shows a channel to whom it is opened, and takes it from whom it is closed to', async () => {
    const id = await channelWith([anna, guest], { invite_only: true })
    await update(anna, id, { is_private: false })
    const opened = await room.announced()
    expect(opened.map(told)).toEqual([
      ['stream update', ids(owner, admin, anna, guest)],
      ['stream create', ids(ben)],
      ['subscription peer_add', ids(ben)],
    ])
    expect(opened[0]!.value).toMatchObject({
      property: 'invite_only',
      value: false,
      history_public_to_subscribers: true,
      is_web_public: false,
    })
    expect(opened[2]!.value.user_ids).toEqual(ids(anna, guest))
    await update(anna, id, { is_private: true, history_public_to_subscribers: false })
    expect((await room.announced()).map(told)).toEqual([
      ['stream delete', ids(ben)],
      ['stream update', ids(owner, admin, anna, guest)],
    ])
    await update(anna, id, { can_subscribe_group: { new: named(ben) } })
    expect((await room.announced()).map(told)).toEqual([
      ['stream update', ids(owner, admin, anna, guest)],
      ['stream create', ids(ben)],
      ['subscription peer_add', ids(ben)],
    ])
    expect(
      await room.call(addSubscriptions, ben, { subscriptions: [{ name: (await show(ben, id)).name }] }),
    ).toMatchObject({ subscribed: { [ben.user.id]: [expect.any(String)] } })
  })

  it('lets a channel have the empty topic only when it has no other', async () => {
    const id = await channelWith([anna])
    const send = (topic: string) =>
      room.call(sendMessage, anna, { type: 'stream', to: id, topic, content: 'x' })
    await send('')
    expect(await refusal(update(anna, id, { topics_policy: 'empty_topic_only' }))).toBe('accepted')
    await update(anna, id, { topics_policy: 'inherit' })
    await send('named')
    expect(await refusal(update(anna, id, { topics_policy: 'empty_topic_only' }))).toMatch('BAD_REQUEST')
    await room.settle({ can_set_topics_policy_group: room.realm.system_groups['role:owners'] })
    expect(await refusal(update(anna, id, { topics_policy: 'disable_empty_topic' }))).toBe(insufficient)
  })
})

describe('archiving', () => {
  it('hides a channel from clients that do not know archived ones, and brings it back', async () => {
    const id = await channelWith([anna, ben])
    expect(await refusal(room.call(archiveChannel, ben, { stream_id: id }))).toMatch(
      'CANNOT_ADMINISTER_CHANNEL',
    )
    await room.call(archiveChannel, anna, { stream_id: id })
    // Before it is archived, that is said in it.
    const [, gone] = (await room.announced()).filter((row) => row.topic === 'client-events')
    const client = (archived_channels: boolean) => ({ capabilities: { archived_channels } }) as never
    const { name } = await show(ben, id)
    expect(streamUpdate.shape!(gone!.value, client(true))).toEqual([
      { type: 'stream', op: 'update', stream_id: id, name, property: 'is_archived', value: true },
    ])
    expect(streamUpdate.shape!(gone!.value, client(false))).toEqual([
      { type: 'stream', op: 'delete', stream_ids: [id], streams: [{ stream_id: id }] },
    ])
    expect(await refusal(room.call(archiveChannel, anna, { stream_id: id }))).toMatch('BAD_REQUEST')
    expect(
      await refusal(room.call(sendMessage, ben, { type: 'stream', to: id, topic: 't', content: 'x' })),
    ).toMatch('BAD_REQUEST')
    const own = async () =>
      (await room.call(listSubscriptions, ben, {})).subscriptions.map((one) => one.stream_id)
    expect(await own()).not.toContain(id)
    const state = (archived_channels: boolean) =>
      room.deps.database.snapshot(async (sql, snapshot) => {
        const options = { client_capabilities: { archived_channels } } as never
        const { streams } = await streamSection.read({ caller: ben, options, sql, snapshot, deps: room.deps })
        return streams.some((stream) => stream.stream_id === id)
      })
    expect([await state(true), await state(false)]).toEqual([true, false])

    await update(anna, id, { description: 'while archived' })
    const [changed] = await room.announced()
    expect(streamUpdate.shape!(changed!.value, client(false))).toEqual([])
    expect(streamUpdate.shape!(changed!.value, client(true))).toHaveLength(1)

    await update(anna, id, { is_archived: false })
    const [back, again] = await room.announced()
    const [created] = streamUpdate.shape!(back!.value, client(false))
    expect(created).toMatchObject({
      op: 'create',
      streams: [{ stream_id: id, description: 'while archived' }],
    })
    expect(streamCreate.shape!(created!, client(false))).toHaveLength(1)
    expect(subscriptionAdd.shape!(again!.value, client(true))).toEqual([])
    expect(subscriptionAdd.shape!(again!.value, client(false))[0]!.subscriptions).toMatchObject([
      { stream_id: id },
    ])
    expect(again!.audience.users).toEqual(ids(anna, ben))
    expect(await own()).toContain(id)
  })
})

describe('what is told of a channel', () => {
  it('counts its traffic afterwards, as an average', async () => {
    expect(weeklyTraffic(9, 6 * 86_400)).toBeNull()
    expect(weeklyTraffic(9, 7 * 86_400)).toBe(9)
    expect(weeklyTraffic(10, 40 * 86_400)).toBe(3)
    expect(weeklyTraffic(1, 40 * 86_400)).toBe(1)
    expect(weeklyTraffic(0, 40 * 86_400)).toBe(0)
    const id = await channelWith([anna])
    const { sql } = room.deps.database
    await sql`UPDATE channels SET created_at = now() - interval '9 days' WHERE id = ${id}`
    for (const content of ['one', 'two', 'three']) {
      await room.call(sendMessage, anna, { type: 'stream', to: id, topic: 't', content })
    }
    await sql`UPDATE messages SET sent_at = now() - interval '2 minutes' WHERE channel_id = ${id}`
    while ((await countTraffic(sql, 2)) > 0);
    expect((await show(anna, id)).stream_weekly_traffic).toBe(2)
  })

  it('lists topics newest first, of a protected history those of messages received', async () => {
    const id = await channelWith([anna], { invite_only: true })
    const send = (topic: string) =>
      room.call(sendMessage, anna, { type: 'stream', to: id, topic, content: 'x' })
    const topics = async (by: KnownCaller, more: object = {}) =>
      (await room.call(listChannelTopics, by, { stream_id: id, ...more })).topics.map(({ name }) => name)
    for (const topic of ['First', 'second', '', 'FIRST']) await send(topic)
    expect(await topics(anna)).toEqual(['FIRST', 'general chat', 'second'])
    expect(await topics(anna, { allow_empty_topic_name: true })).toContain('')
    expect(await refusal(topics(owner))).toBe('BAD_REQUEST: Invalid channel ID')
    const { name } = await show(anna, id)
    await room.call(addSubscriptions, anna, { subscriptions: [{ name }], principals: ids(ben) })
    expect(await topics(ben)).toEqual([])
    await send('later')
    expect(await topics(ben)).toEqual(['later'])
    expect(await topics(anna)).toEqual(['later', 'FIRST', 'general chat', 'second'])
  })

  it('has no mail address, and tells that only to those who may post', async () => {
    const id = await channelWith([anna], { can_send_message_group: named(anna) })
    expect(await room.call(getChannelEmail, anna, { stream_id: id })).toEqual({ email: '' })
    expect(await refusal(room.call(getChannelEmail, ben, { stream_id: id }))).toMatch('BAD_REQUEST')
    expect(await refusal(room.call(getChannelEmail, guest, { stream_id: id }))).toBe(
      'BAD_REQUEST: Invalid channel ID',
    )
    expect(await refusal(room.call(getChannelEmail, anna, { stream_id: id, sender_id: ben.user.id }))).toBe(
      'BAD_REQUEST: Invalid user ID',
    )
  })

  it('says which of its settings use a group, archived or not', async () => {
    const group = await room.group({ members: [anna] })
    const id = await channelWith([anna], {
      can_send_message_group: group,
      can_subscribe_group: { direct_members: ids(ben), direct_subgroups: [group] },
    })
    await room.call(archiveChannel, anna, { stream_id: id })
    const use = await channelsUsingGroup.handle({
      input: { realm_id: room.realm.id, group_id: group },
      deps: room.deps,
    } as never)
    expect(use).toEqual({ channels: [{ channel_id: id, settings: expect.any(Array) }] })
    expect(use.channels[0]!.settings.toSorted()).toEqual(['can_send_message_group', 'can_subscribe_group'])
  })
})
