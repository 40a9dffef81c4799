import type { KnownCaller } from '@parley/contracts'
import { subscriptionAdd } from '@parley/contracts/channels/events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { archiveChannel } from '../channels/archive-channel.ts'
import { createChannel } from '../channels/create-channel.ts'
import { getChannel } from '../channels/get-channel.ts'
import { listChannelMembers } from '../channels/list-channel-members.ts'
import { takeInUser } from '../directory/on-user-changed.ts'
import { type Announced, openTestRoom, type TestRoom } from '../test-room.ts'
import { addSubscriptions } from './add-subscriptions.ts'
import { getSubscriptionStatus } from './get-subscription-status.ts'
import { listUserChannels } from './list-user-channels.ts'
import { removeSubscriptions } from './remove-subscriptions.ts'
import { updateSubscriptionProperties } from './update-subscription-properties.ts'
import { updateSubscriptionProperty } from './update-subscription-property.ts'
import { updateSubscriptions } from './update-subscriptions.ts'

let room: TestRoom
let owner: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let guest: KnownCaller
let bot: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  owner = await room.person('owner')
  anna = await room.person()
  ben = await room.person()
  guest = await room.person('guest')
  bot = await room.person('member', { bot_type: 1, bot_owner_id: ben.user.id })
})
afterAll(() => room.close())
beforeEach(async () => void (await room.announced()))

const ids = (...people: KnownCaller[]) => people.map((one) => one.user.id)
let made = 0
/** A new channel of Anna's, with these people in it. */
const channelWith = async (people: KnownCaller[], more: object = {}) => {
  made += 1
  const name = `channel ${made}`
  const { id } = await room.call(createChannel, anna, { name, subscribers: ids(...people), ...more })
  await room.announced()
  return { id, name }
}
const remove = (by: KnownCaller, names: string[], principals?: (number | string)[]) =>
  room.call(removeSubscriptions, by, { subscriptions: names, ...(principals && { principals }) })
const told = (row: Announced) => [`${row.value.type} ${row.value.op}`, row.audience.users.toSorted()] as const
const members = async (id: number) =>
  (await room.call(listChannelMembers, owner, { stream_id: id })).subscribers
const countOf = async (id: number) =>
  (await room.call(getChannel, owner, { stream_id: id })).stream.subscriber_count

describe('leaving', () => {
  it('is told to who leaves, and to the others who see the members', async () => {
    const { id, name } = await channelWith([anna, ben, guest])
    expect(await remove(ben, [name.toUpperCase()])).toEqual({ removed: [name], not_removed: [] })
    const rows = await room.announced()
    expect(rows.map(told)).toEqual([
      ['subscription remove', ids(ben)],
      ['subscription peer_remove', ids(owner, anna, guest, bot)],
    ])
    expect(rows[0]!.value.subscriptions).toEqual([{ stream_id: id, name }])
    expect(rows[1]!.value).toMatchObject({ stream_ids: [id], user_ids: ids(ben) })
    expect(await members(id)).toEqual(ids(anna, guest))
    expect(await countOf(id)).toBe(2)
    expect(await remove(ben, [name])).toEqual({ removed: [], not_removed: [name] })
    expect(await room.announced()).toEqual([])
  })

  it('takes the sight of a private channel, and of any channel from guests', async () => {
    const closed = await channelWith([anna, ben, owner], { invite_only: true })
    await remove(ben, [closed.name])
    expect((await room.announced()).map(told)).toEqual([
      ['subscription remove', ids(ben)],
      ['stream delete', ids(ben)],
      ['subscription peer_remove', ids(owner, anna)],
    ])
    await remove(owner, [closed.name])
    expect((await room.announced()).map(told)).toEqual([
      ['subscription remove', ids(owner)],
      ['subscription peer_remove', ids(anna)],
    ])
    const open = await channelWith([anna, guest])
    await remove(guest, [open.name])
    const [, deleted] = await room.announced()
    expect(deleted!.value).toMatchObject({
      op: 'delete',
      stream_ids: [open.id],
      streams: [{ stream_id: open.id }],
    })
    expect(deleted!.audience.users).toEqual(ids(guest))
  })

  it('shares events among channels and people that are alike', async () => {
    const one = await channelWith([anna, ben, guest])
    const two = await channelWith([anna, ben, guest])
    const reply = await remove(owner, [one.name, two.name], ids(ben, guest))
    expect(reply).toEqual({ removed: [one.name, two.name], not_removed: [] })
    const rows = await room.announced()
    expect(rows.map(told)).toEqual([
      ['subscription remove', ids(ben, guest)],
      ['stream delete', ids(guest)],
      ['subscription peer_remove', ids(owner, anna, bot)],
    ])
    expect(rows[2]!.value).toMatchObject({ stream_ids: [one.id, two.id], user_ids: ids(ben, guest) })
  })

  it('knows no channel that the caller may not know of', async () => {
    const hidden = await channelWith([anna], { invite_only: true })
    const open = await channelWith([anna, ben])
    const unknown: [KnownCaller, string][] = [
      [anna, 'never heard of'],
      [ben, hidden.name],
      [guest, open.name],
    ]
    for (const [who, name] of unknown) {
      await expect(remove(who, [open.name, name].slice(who === guest ? 1 : 0))).rejects.toMatchObject({
        error: 'STREAM_DOES_NOT_EXIST',
        fields: { stream: name },
      })
    }
    expect(await members(open.id)).toEqual(ids(anna, ben))
  })

  it('lets others be taken out by administrators, owners of bots, and whom the channel names', async () => {
    const { id, name } = await channelWith([anna, ben, bot, guest], { invite_only: true })
    const again = () =>
      room.call(addSubscriptions, anna, { subscriptions: [{ name }], principals: ids(ben, bot, guest) })
    const refused = { message: 'Insufficient permission' }
    await expect(remove(ben, [name], ids(guest))).rejects.toMatchObject(refused)
    await expect(remove(anna, [name], ids(ben))).rejects.toMatchObject(refused)
    expect(await remove(ben, [name], ids(bot))).toMatchObject({ removed: [name] })
    // The owner of the bot has no access any more.
    await again()
    await remove(ben, [name])
    await expect(remove(ben, [name], ids(bot))).rejects.toMatchObject({ error: 'STREAM_DOES_NOT_EXIST' })
    expect(await remove(owner, [name], ids(bot))).toMatchObject({ removed: [name] })
    await again()
    await room.deps.database.sql`
      UPDATE channels SET group_settings = group_settings || ${room.deps.database.sql.json({
        can_remove_subscribers_group: { direct_members: ids(anna), direct_subgroups: [] },
      })} WHERE id = ${id}`
    expect(await remove(anna, [name], ids(ben, guest))).toMatchObject({ removed: [name] })
    expect(await members(id)).toEqual(ids(anna, bot))
  })

  it('is refused for people who do not exist or are deactivated, whoever asks', async () => {
    const { name } = await channelWith([anna])
    const gone = await room.person('member', { is_active: false })
    const foreign = await room.person('member', { realm_id: 8 })
    for (const who of [gone.user.id, foreign.user.id, 999_999, 'nobody@acme.example']) {
      await expect(remove(owner, [name], [who])).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
  })

  it('counts only who is active', async () => {
    const leaver = await room.person()
    const { id, name } = await channelWith([anna, ben, leaver])
    const user = (await room.deps.users.byIds(room.realm.id, ids(leaver))).get(leaver.user.id)!
    await takeInUser(room.deps.database.sql, { ...user, is_active: false, version: 2 })
    // This process has not heard of it yet.
    await remove(owner, [name], ids(leaver))
    expect(await countOf(id)).toBe(2)
    await remove(owner, [name], ids(ben))
    expect(await countOf(id)).toBe(1)
  })

  it('works in archived channels', async () => {
    const { id, name } = await channelWith([anna, ben])
    await room.call(archiveChannel, anna, { stream_id: id })
    expect(await remove(ben, [name])).toEqual({ removed: [name], not_removed: [] })
  })
})

describe('at once', () => {
  it('takes somebody out once, and counts once', async () => {
    const { id, name } = await channelWith([anna, ben])
    const replies = await Promise.all(Array.from({ length: 6 }, () => remove(ben, [name])))
    expect(replies.filter((reply) => reply.removed.length > 0)).toHaveLength(1)
    expect(await countOf(id)).toBe(1)
    const peers = (await room.announced()).filter((row) => row.value.op === 'peer_remove')
    expect(peers).toHaveLength(1)
  })

  it('a setting for a channel is told before the news that its subscriber has left', async () => {
    const { id, name } = await channelWith([anna, ben])
    const row = await room.hold(
      (sql) =>
        sql`SELECT FROM subscriptions WHERE user_id = ${ben.user.id} AND channel_id = ${id} FOR UPDATE`,
    )
    const change = { stream_id: id, property: 'pin_to_top', value: true }
    const changing = room.call(updateSubscriptionProperties, ben, { subscription_data: [change] })
    await room.heldUp(1)
    let isGone = false
    const leaving = remove(ben, [name]).finally(() => {
      isGone = true
    })
    await room.heldUp(2, () => isGone)
    await row.letGo()
    await Promise.all([changing, leaving])
    const own = (await room.announced()).filter(({ audience }) => audience.users.includes(ben.user.id))
    expect(own.map(({ value }) => value.op)).toEqual(['update', 'remove'])
  })

  it('joins, leaves and archives without a deadlock or a wrong count', async () => {
    const channels = await Promise.all(Array.from({ length: 4 }, () => channelWith([anna, ben])))
    const names = channels.map(({ name }) => name)
    const backwards = names.toReversed()
    const changes = (n: number) =>
      room.call(updateSubscriptions, n % 2 ? ben : guest, {
        add: [{ name: `fresh ${n % 3}` }],
        delete: names,
      })
    await Promise.allSettled([
      ...Array.from({ length: 6 }, (_, n) => changes(n)),
      ...Array.from({ length: 4 }, () =>
        room.call(addSubscriptions, anna, {
          subscriptions: backwards.map((name) => ({ name })),
          principals: ids(ben, guest),
        }),
      ),
      ...channels.map(({ id }) => room.call(archiveChannel, anna, { stream_id: id })),
    ])
    for (const { id } of channels) {
      expect(await countOf(id)).toBe((await members(id)).length)
      expect((await room.call(getChannel, anna, { stream_id: id })).stream.is_archived).toBe(true)
    }
  })
})

describe('both at once', () => {
  it('subscribes to some and unsubscribes from others in one transaction', async () => {
    const { name } = await channelWith([anna, ben])
    const reply = await room.call(updateSubscriptions, ben, {
      add: [{ name: 'Brand new', color: '#123456' }],
      delete: [name],
    })
    expect(reply).toMatchObject({
      subscribed: { [ben.user.id]: ['Brand new'] },
      already_subscribed: {},
      removed: [name],
      not_removed: [],
    })
    const added = (await room.announced()).find(
      (row) => row.value.op === 'add' && row.value.type === 'subscription',
    )
    expect(added!.value.subscriptions[0].color).toBe('#123456')
    await expect(room.call(updateSubscriptions, ben, {})).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    const spoilt = { add: [{ name: 'not made' }], delete: ['never heard of'] }
    await expect(room.call(updateSubscriptions, ben, spoilt)).rejects.toMatchObject({
      error: 'STREAM_DOES_NOT_EXIST',
    })
    await expect(remove(ben, ['not made'])).rejects.toMatchObject({ error: 'STREAM_DOES_NOT_EXIST' })
  })
})

describe('what a subscriber sets', () => {
  it('is told to the subscriber alone, and is there again after coming back', async () => {
    const { id, name } = await channelWith([anna, ben], { default_push_notifications: false })
    const set = (...changes: [string, unknown][]) =>
      room.call(updateSubscriptionProperties, ben, {
        subscription_data: changes.map(([property, value]) => ({ stream_id: id, property, value })),
      })
    await set(
      ['is_muted', true],
      ['color', '#abcdef'],
      ['email_notifications', true],
      ['email_notifications', null],
    )
    const rows = await room.announced()
    expect(rows.map((row) => [row.value.property, row.value.value, row.audience.users])).toEqual([
      ['is_muted', true, ids(ben)],
      ['in_home_view', false, ids(ben)],
      ['color', '#abcdef', ids(ben)],
      ['email_notifications', true, ids(ben)],
      ['email_notifications', null, ids(ben)],
    ])
    await set(['in_home_view', false], ['pin_to_top', true])
    await room.announced()
    // One by one, as older clients write them.
    const setOne = (stream_id: number, property: string, value: unknown) =>
      room.call(updateSubscriptionProperty, ben, { stream_id, property, value })
    await setOne(id, 'color', '#fedcba')
    await setOne(id, 'wildcard_mentions_notify', 'true')
    expect((await room.announced()).map(({ value }) => [value.property, value.value])).toEqual([
      ['color', '#fedcba'],
      ['wildcard_mentions_notify', true],
    ])
    await setOne(id, 'color', '"#abcdef"')
    await setOne(id, 'wildcard_mentions_notify', null)
    await room.announced()
    await expect(setOne(id, 'is_muted', 'perhaps')).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    await expect(setOne(999_999, 'is_muted', true)).rejects.toMatchObject({
      message: 'Not subscribed to channel ID 999999',
    })
    await remove(ben, [name])
    await room.call(addSubscriptions, ben, { subscriptions: [{ name }] })
    const added = (await room.announced()).find((row) => row.value.op === 'add')!
    expect(added.value.subscriptions[0]).toMatchObject({
      is_muted: true,
      in_home_view: false,
      pin_to_top: true,
      color: '#abcdef',
      email_notifications: null,
    })
    for (const wrong of [
      ['color', 'red'],
      ['color', true],
      ['is_muted', null],
      ['pin_to_top', 'x'],
      ['role', true],
    ]) {
      await expect(set(wrong as [string, unknown])).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    }
    await remove(ben, [name])
    await expect(set(['is_muted', false])).rejects.toMatchObject({
      message: `Not subscribed to channel ID ${id}`,
    })
  })

  it('is not shown to clients that do not know archived channels', () => {
    const shape = (archived_channels: boolean) =>
      subscriptionAdd.shape!({ type: 'subscription', op: 'add', subscriptions: [{ is_archived: true }] }, {
        capabilities: { archived_channels },
      } as never)
    expect(shape(false)).toEqual([])
    expect(shape(true)).toHaveLength(1)
  })
})

describe('who is subscribed', () => {
  it('is told to those who know of the channel', async () => {
    const { id } = await channelWith([anna, ben], { invite_only: true })
    const status = (by: KnownCaller, who: number) =>
      room.call(getSubscriptionStatus, by, { user_id: who, stream_id: id })
    expect(await status(ben, anna.user.id)).toEqual({ is_subscribed: true })
    expect(await status(owner, guest.user.id)).toEqual({ is_subscribed: false })
    await expect(status(guest, anna.user.id)).rejects.toMatchObject({ message: 'Invalid channel ID' })
    await expect(status(ben, 999_999)).rejects.toMatchObject({ message: 'No such user' })
    const channels = (by: KnownCaller, who: KnownCaller) =>
      room.call(listUserChannels, by, { user_id: who.user.id })
    expect((await channels(owner, ben)).subscribed_channel_ids).toContain(id)
    expect((await channels(ben, bot)).subscribed_channel_ids).not.toContain(id)
    const insufficient = { message: 'Insufficient permission' }
    await expect(channels(anna, ben)).rejects.toMatchObject(insufficient)
    await expect(channels(guest, ben)).rejects.toMatchObject(insufficient)
  })
})
