/** Who is named among the subscribers, what null settings mean, and what a change of somebody's role tells. */

import type { KnownCaller, RoleName } from '@parley/contracts'
import { roles } from '@parley/contracts'
import {
  subscriptionAdd,
  subscriptionPeerAdd,
  subscriptionPeerRemove,
  subscriptionRemove,
  subscriptionUpdate,
} from '@parley/contracts/channels/events'
import { announcing, wholeFields } from '@parley/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createChannel } from '../channels/create-channel.ts'
import { getChannel } from '../channels/get-channel.ts'
import { updateChannel } from '../channels/update-channel.ts'
import { followUser } from '../directory/on-user-changed.ts'
import { savePersonal } from '../directory/personal-store.ts'
import { userActivity } from '../directory/user-activity.ts'
import { usersByIds } from '../directory/user-store.ts'
import { sendMessage } from '../messages/send-message.ts'
import { followGroup } from '../permissions/on-group-changed.ts'
import { type Announced, openTestRoom, type TestRoom } from '../test-room.ts'
import { listChannelTopics } from '../topics/list-channel-topics.ts'
import { addSubscriptions } from './add-subscriptions.ts'
import { listSubscriptions } from './list-subscriptions.ts'
import { removeSubscriptions } from './remove-subscriptions.ts'
import { streamSection } from './stream-section.ts'
import { subscriberTexts } from './subscriber-lists.ts'
import { subscriptionSection } from './subscription-section.ts'
import { updateSubscriptionProperties } from './update-subscription-properties.ts'

let room: TestRoom
let admin: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let bot: KnownCaller
beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator')
  anna = await room.person()
  ben = await room.person()
  bot = await room.person('member', { bot_type: 1, bot_owner_id: ben.user.id })
})
afterAll(() => room.close())
beforeEach(async () => void (await room.announced()))

const ids = (...people: KnownCaller[]) => people.map((one) => one.user.id)
let made = 0
const channelWith = async (people: number[], more: object = {}) => {
  made += 1
  const name = `named ${made}`
  const { id } = await room.call(createChannel, admin, { name, subscribers: people, ...more })
  await room.announced()
  return { id, name }
}
const told = (row: Announced) => [`${row.value.type} ${row.value.op}`, row.audience.users.toSorted()] as const
const client = (capabilities: object) => ({ capabilities }) as never
const section = (who: KnownCaller, more: object) =>
  room.deps.database.snapshot(async (sql, snapshot) =>
    wholeFields(
      await subscriptionSection.read({
        caller: who,
        options: { include_subscribers: false, ...more } as never,
        sql,
        snapshot,
        deps: room.deps,
      }),
    ),
  )

it('where a part of many subscribers would do, bots and who was active are named', async () => {
  const crowd = await Promise.all(Array.from({ length: 260 }, () => room.person()))
  const small = await channelWith(ids(anna, ben, bot))
  const large = await channelWith([...ids(admin, anna, ben, bot), ...ids(...crowd)])
  const activity = userActivity(room.deps.database, { warn: () => {} })
  for (const one of [anna, ben, anna]) activity.note(one.user.id)
  await activity.stop()
  const { sql } = room.deps.database
  await sql`INSERT INTO user_activity VALUES (${crowd[0]!.user.id}, current_date - 14), (${crowd[1]!.user.id}, current_date - 15)`
  const { subscriptions } = await room.call(listSubscriptions, anna, { include_subscribers: 'partial' })
  const of = (id: number) => subscriptions.find((one) => one.stream_id === id)!
  expect(of(small.id).subscribers).toEqual(ids(anna, ben, bot))
  expect(of(small.id)).not.toHaveProperty('partial_subscribers')
  expect(of(large.id).partial_subscribers).toEqual(ids(anna, ben, bot, crowd[0]!))
  expect(of(large.id)).not.toHaveProperty('subscribers')
  expect(of(large.id).subscriber_count).toBe(264)
  const state = await section(crowd[5]!, { include_subscribers: 'partial' })
  expect(state.subscriptions[0]!.partial_subscribers).toHaveLength(4)
  expect(state.never_subscribed.find((one) => one.stream_id === small.id)!.subscribers).toHaveLength(3)
  // Whether few people are looked up or the many subscribers gone through, the same are named.
  const inLarge = [...ids(anna, ben, bot), ...ids(...crowd)]
  for (const among of [ids(anna, crowd[7]!), inLarge.slice(0, 200)]) {
    const listed = { stream_id: large.id, subscriber_count: 264 }
    const texts = await subscriberTexts(
      sql,
      room.realm.id,
      [listed],
      among.toSorted((a, b) => a - b),
    )
    expect(JSON.parse(texts.get(large.id)!)).toEqual(among.toSorted((a, b) => a - b))
  }
  const whole = await room.call(listSubscriptions, anna, { include_subscribers: true })
  expect(whole.subscriptions.find((one) => one.stream_id === large.id)!.subscribers).toHaveLength(264)
  // Who was active on an earlier day is noted anew.
  await sql`UPDATE user_activity SET last_day = current_date - 20 WHERE user_id = ${ben.user.id}`
  const later = userActivity(room.deps.database, { warn: () => {} })
  later.note(ben.user.id)
  await later.stop()
  const [row] =
    await sql`SELECT last_day = current_date AS is_today FROM user_activity WHERE user_id = ${ben.user.id}`
  expect(row!.is_today).toBe(true)
})

it('null settings are what the user chose, for clients that do not know null', async () => {
  const { id, name } = await channelWith(ids(admin))
  const settings = { enable_stream_desktop_notifications: true, wildcard_mentions_notify: false }
  await savePersonal(room.deps.database.sql, {
    ...{
      id: ben.user.id,
      realm_id: room.realm.id,
      settings,
      alert_words: [],
      muted_user_ids: [],
      version: 1,
    },
  })
  await room.call(addSubscriptions, admin, { subscriptions: [{ name }], principals: ids(anna, ben) })
  const added = (await room.announced()).filter((row) => row.value.op === 'add')
  expect(added.map((row) => row.audience.users)).toEqual([ids(anna), ids(ben)])
  const shown = (knows: boolean) =>
    subscriptionAdd.shape!(added[1]!.value, client({ notification_settings_null: knows }))[0]!
  expect(shown(true).subscriptions).toMatchObject([{ desktop_notifications: null }])
  expect(shown(false).subscriptions).toMatchObject([
    { desktop_notifications: true, wildcard_mentions_notify: false, push_notifications: false },
  ])
  for (const event of [shown(true), shown(false)]) expect(event).not.toHaveProperty('inherited')

  const own = async (notification_settings_null: boolean) => {
    const state = await section(ben, { client_capabilities: { notification_settings_null } })
    return state.subscriptions.find((one) => one.stream_id === id)
  }
  expect(await own(true)).toMatchObject({ desktop_notifications: null, email_notifications: null })
  expect(await own(false)).toMatchObject({ desktop_notifications: true, email_notifications: false })
  const { subscriptions } = await room.call(listSubscriptions, ben, {})
  expect(subscriptions.find((one) => one.stream_id === id)!.desktop_notifications).toBe(null)

  const change = { stream_id: id, property: 'desktop_notifications', value: null }
  await room.call(updateSubscriptionProperties, ben, { subscription_data: [change] })
  const [updated] = await room.announced()
  const value = (notification_settings_null: boolean) =>
    subscriptionUpdate.shape!(updated!.value, client({ notification_settings_null }))
  expect(value(true)).toEqual([{ type: 'subscription', op: 'update', ...change }])
  expect(value(false)).toEqual([{ type: 'subscription', op: 'update', ...change, value: true }])
})

describe('an archived channel', () => {
  it('is nothing to clients that do not know of it, until it is back with everybody in it', async () => {
    const { id, name } = await channelWith(ids(admin, anna))
    const archive = (is_archived: boolean) => room.call(updateChannel, admin, { stream_id: id, is_archived })
    await archive(true)
    await room.announced()
    await room.call(addSubscriptions, ben, { subscriptions: [{ name }] })
    await room.call(removeSubscriptions, anna, { subscriptions: [name] })
    const property = { stream_id: id, property: 'is_muted', value: true }
    await room.call(updateSubscriptionProperties, ben, { subscription_data: [property] })
    const rows = (await room.announced()).filter(
      // That she has nothing unread there any more is told to all her clients.
      (row) => row.topic === 'client-events' && row.value.type !== 'update_message_flags',
    )
    const shapes = {
      'subscription add': subscriptionAdd,
      'subscription peer_add': subscriptionPeerAdd,
      'subscription remove': subscriptionRemove,
      'subscription peer_remove': subscriptionPeerRemove,
      'subscription update': subscriptionUpdate,
    } as const
    expect(rows.map((row) => told(row)[0])).toEqual([
      'subscription add',
      'subscription peer_add',
      'subscription remove',
      'subscription peer_remove',
      'subscription update',
      'subscription update',
    ])
    for (const row of rows) {
      const { shape } = shapes[told(row)[0] as keyof typeof shapes]
      expect(shape!(row.value, client({ archived_channels: false }))).toEqual([])
      const [event] = shape!(row.value, client({ archived_channels: true, notification_settings_null: true }))
      expect(Object.keys(event!)).not.toContain('archived_stream_ids')
      expect(Object.keys(event!)).not.toContain('is_archived')
    }
    await archive(false)
    const back = (await room.announced()).filter((row) => row.topic === 'client-events')
    expect(back.map((row) => told(row)[0])).toEqual([
      'stream update',
      'subscription add',
      'subscription add',
      'subscription peer_add',
    ])
    const [, ...added] = back
    const peers = added.pop()
    // Ben has settings of his own.
    expect(added.flatMap((row) => row.audience.users).toSorted()).toEqual(ids(admin, ben))
    expect(added[0]!.value.subscriptions[0].subscribers).toEqual(ids(admin, ben))
    expect(peers!.audience.users).toContain(anna.user.id)
    expect(peers!.audience.users).not.toContain(ben.user.id)
    expect(subscriptionPeerAdd.shape!(peers!.value, client({ archived_channels: true }))).toEqual([])
    expect(subscriptionPeerAdd.shape!(peers!.value, client({ archived_channels: false }))).toEqual([
      { type: 'subscription', op: 'peer_add', stream_ids: [id], user_ids: ids(admin, ben) },
    ])
  })
})

describe('who somebody is', () => {
  const become = async (who: KnownCaller, role: RoleName) => {
    const [user] = await usersByIds(room.deps.database.sql, room.realm.id, [who.user.id])
    const fact = { ...user!, role: roles[role], version: user!.version + 1 }
    await room.deps.database.transaction((tx) => followUser(announcing(tx), room.deps, fact))
    return (await room.announced()).map(
      (row) => [told(row)[0], row.value.stream_ids ?? row.value.streams] as const,
    )
  }

  it('decides which channels are known: a new role tells of those that come and go', async () => {
    const open = await channelWith(ids(admin, anna))
    const closed = await channelWith(ids(admin, anna), { invite_only: true })
    const own = await channelWith(ids(admin, ben))
    const person = await room.person()
    await room.call(addSubscriptions, admin, { subscriptions: [{ name: own.name }], principals: ids(person) })
    await room.announced()
    const [gone, ...nothing] = await become(person, 'guest')
    expect(gone![0]).toBe('stream delete')
    expect(gone![1]).toContain(open.id)
    expect(gone![1]).not.toContain(own.id)
    expect(nothing).toEqual([])
    const [came, ...peers] = await become(person, 'administrator')
    expect(came![0]).toBe('stream create')
    const streams = came![1].map((one: { stream_id: number }) => one.stream_id)
    expect(streams).toEqual(expect.arrayContaining([open.id, closed.id]))
    expect(streams).not.toContain(own.id)
    expect(peers.flatMap(([, ids]) => ids).toSorted()).toEqual(streams.toSorted())
    const [lost] = await become(person, 'member')
    expect(lost![0]).toBe('stream delete')
    expect(lost![1]).toContain(closed.id)
    expect(lost![1]).not.toContain(open.id)
    expect(await become(person, 'moderator')).toEqual([])
  })

  it('and so do the groups that private channels name, however deep', async () => {
    const inner = await room.group({ members: [anna] })
    const outer = await room.group({ subgroups: [inner] })
    const { id } = await channelWith(ids(admin), { invite_only: true, can_subscribe_group: outer })
    const follow = async (member_ids: number[], version: number) => {
      const fact = {
        ...{ id: inner, realm_id: room.realm.id, name: 'inner', is_system_group: false, is_active: true },
        ...{ member_ids, subgroup_ids: [], can_mention_group: 0, version },
      }
      await room.deps.database.transaction((tx) => followGroup(announcing(tx), room.deps, fact))
      return (await room.announced()).map(told)
    }
    expect(await follow(ids(anna, ben), 2)).toEqual([
      ['stream create', ids(ben)],
      ['subscription peer_add', ids(ben)],
    ])
    expect(await follow(ids(ben), 3)).toEqual([['stream delete', ids(anna)]])
    expect(await follow(ids(ben), 3)).toEqual([])
    expect(id).toBeGreaterThan(0)
  })
})

it('who is deactivated leaves subscribers and settings, and comes back to them', async () => {
  const member = await room.person()
  const guest = await room.person('guest')
  const [fact] = await usersByIds(room.deps.database.sql, room.realm.id, ids(member))
  const named = { direct_members: ids(ben, member).toSorted(), direct_subgroups: [] }
  const open = await channelWith(ids(admin, member, guest), { can_send_message_group: named })
  const closed = await channelWith(ids(anna, member), { invite_only: true })
  const elsewhere = await channelWith(ids(admin), { can_delete_any_message_group: named })
  const become = async (is_active: boolean, version: number) => {
    await room.deps.database.transaction((tx) =>
      followUser(announcing(tx), room.deps, { ...fact!, is_active, version }),
    )
    return room.announced()
  }
  const shown = async () => {
    const { subscriptions } = await room.call(listSubscriptions, admin)
    const { stream } = await room.call(getChannel, ben, { stream_id: elsewhere.id })
    const of = (id: number) => subscriptions.find((one) => one.stream_id === id)!
    expect(of(elsewhere.id).can_delete_any_message_group).toEqual(stream.can_delete_any_message_group)
    return [of(open.id).can_send_message_group, stream.can_delete_any_message_group]
  }
  const without = { direct_members: ids(ben), direct_subgroups: [] }
  for (const [isActive, version, value] of [
    [false, 2, without],
    [true, 3, named],
  ] as const) {
    const events = await become(isActive, version)
    const peers = events.filter((row) => row.value.type === 'subscription')
    expect(peers.map((row) => row.value.op)).toEqual(Array(2).fill(isActive ? 'peer_add' : 'peer_remove'))
    const [inOpen, inClosed] = [open, closed].map(
      ({ id }) => peers.find((row) => row.value.stream_ids.includes(id))!,
    )
    expect(inOpen!.value).toMatchObject({ stream_ids: [open.id], user_ids: ids(member) })
    expect(inOpen!.audience.users).toEqual(expect.arrayContaining(ids(admin, anna, guest)))
    expect(inClosed!.audience.users).toEqual(expect.arrayContaining(ids(admin, anna)))
    for (const one of ids(ben, guest, member)) expect(inClosed!.audience.users).not.toContain(one)
    const updates = events.filter((row) => row.value.op === 'update')
    expect(
      updates.map(({ value: { stream_id, property, value: told } }) => [stream_id, property, told]),
    ).toEqual([
      [open.id, 'can_send_message_group', value],
      [elsewhere.id, 'can_delete_any_message_group', value],
    ])
    expect(updates[0]!.audience.users).toContain(guest.user.id)
    expect(updates[1]!.audience.users).not.toContain(guest.user.id)
    expect(await shown()).toEqual([value, value])
    if (isActive) continue
    // What is sent back as it was seen is no change: nobody is lost by it.
    const same = { stream_id: open.id, can_send_message_group: { old: without, new: without } }
    await room.call(updateChannel, admin, same)
    await room.call(updateChannel, admin, { stream_id: open.id, topics_policy: 'allow_empty_topic' })
    const told = (await room.announced()).filter((row) => row.value.type === 'stream')
    expect(told.map((row) => row.value.property)).toEqual(['topics_policy'])
  }
  expect(await become(true, 3)).toEqual([])
})

it('who looks on without an account sees web-public channels and their topics, and nobody in them', async () => {
  await room.settle({ enable_spectator_access: true })
  const owner = await room.person('owner')
  await channelWith(ids(admin))
  const name = 'for everybody'
  const sent = { name, subscribers: ids(owner), is_web_public: true }
  const { id } = await room.call(createChannel, owner, sent)
  const message = { type: 'channel', to: id, topic: 'hello', content: 'x' }
  await room.call(sendMessage, owner, message)
  const realm = admin.realm
  const look = { realm, options: { include_subscribers: true } as never, deps: room.deps }
  const [state, { streams }] = await room.deps.database.snapshot(
    async (sql) =>
      [
        await wholeFields(await subscriptionSection.readForSpectator!({ ...look, sql })),
        await streamSection.readForSpectator!({ ...look, sql }),
      ] as const,
  )
  expect([state.unsubscribed, state.never_subscribed]).toEqual([[], []])
  expect(state.subscriptions.map((one) => one.stream_id)).toEqual([id])
  expect(state.subscriptions[0]!.subscribers).toEqual([])
  expect(streams.map((one) => one.name)).toEqual([name])
  const anybody = { realm, user: null, client: 'test' } as const
  const topics = (stream_id: number) => room.call(listChannelTopics, anybody, { stream_id })
  expect((await topics(id)).topics.map((topic) => topic.name)).toEqual(['hello'])
  await expect(topics(id - 1)).rejects.toMatchObject({ message: 'Invalid channel ID' })
  await room.settle({ enable_spectator_access: false })
  await expect(topics(id)).rejects.toMatchObject({ error: 'UNAUTHORIZED' })
})
