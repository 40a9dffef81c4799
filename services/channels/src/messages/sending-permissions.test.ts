import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listChannels } from '../channels/list-channels.ts'
import { saveGroup } from '../permissions/group-store.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { getMessage } from './get-message.ts'
import { sendMessage } from './send-message.ts'

let room: TestRoom
let owner: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let carl: KnownCaller
let bot: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  owner = await room.person('owner', { full_name: 'Olga' })
  anna = await room.person('member', { full_name: 'Anna' })
  ben = await room.person('member', { full_name: 'Ben' })
  carl = await room.person('member', { full_name: 'Carl' })
  bot = await room.person('member', { full_name: 'Bot', bot_type: 1 })
})
afterAll(() => room.close())

let channels = 0
const channelOf = async (members: readonly KnownCaller[], more: object = {}): Promise<string> => {
  channels += 1
  const name = `room ${channels}`
  const principals = members.map((member) => member.user.id)
  await room.call(addSubscriptions, owner, { subscriptions: [{ name }], principals, ...more })
  return name
}
const send = (from: KnownCaller, to: string, content: string, topic = 'talk') =>
  room.call(sendMessage, from, { type: 'channel', to, topic, content })
const write = (from: KnownCaller, to: readonly KnownCaller[], content = 'Hello') =>
  room.call(sendMessage, from, { type: 'direct', to: to.map(({ user }) => user.id), content })
const flagsFor = async (reader: KnownCaller, id: number): Promise<string[]> =>
  (await room.call(getMessage, reader, { message_id: id })).message.flags
const groups = () => room.realm.system_groups

describe('topics', () => {
  it('are demanded where the organization demands them', async () => {
    const name = await channelOf([anna])
    await send(anna, name, 'to everybody', '')
    await room.settle({ topics_policy: 'disable_empty_topic' })
    await expect(send(anna, name, 'again', '')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await send(anna, name, 'again', 'named')
    await room.settle({ topics_policy: 'allow_empty_topic' })
  })

  it('are there for all, where a channel has only the one without a name', async () => {
    const name = await channelOf([anna], { topics_policy: 'empty_topic_only' })
    await expect(send(anna, name, 'named', 'named')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await send(anna, name, 'unnamed', '')
  })

  it('are begun by those who may, and gone on with by all', async () => {
    const begin = { can_create_topic_group: groups()['role:administrators'] }
    const name = await channelOf([anna, owner], begin)
    await expect(send(anna, name, 'new', 'plans')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await send(owner, name, 'new', 'plans')
    await send(anna, name, 'answer', 'Plans')
  })

  it('tell nothing of a channel to whoever may not know of it', async () => {
    const name = await channelOf([owner], { invite_only: true, topics_policy: 'empty_topic_only' })
    await expect(send(anna, name, 'hello', 'named')).rejects.toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' })
  })
})

describe('bots', () => {
  it('write where their owner is, without hearing what the channel is called', async () => {
    const helper = await room.person('member', { bot_type: 2, bot_owner_id: anna.user.id })
    const closed = await channelOf([owner, anna], { invite_only: true })
    const { id: channelId } = (await room.deps.channels.byName(room.realm.id, closed))!
    const sent = await send(helper, closed, 'the build failed', 'builds')
    const url = `${helper.realm.url}/#narrow/channel/${channelId}/topic/builds/near/${sent.id}`
    expect(sent).toMatchObject({ message_url: url, message_link: url })
    expect((await room.call(getMessage, anna, { message_id: sent.id })).message.sender_id).toBe(
      helper.user.id,
    )
    await expect(room.call(getMessage, helper, { message_id: sent.id })).rejects.toThrow('Invalid message(s)')
    const hidden = { code: 'STREAM_DOES_NOT_EXIST' }
    await expect(send(bot, closed, 'nobody’s')).rejects.toMatchObject(hidden)
    await expect(send(ben, closed, 'no bot')).rejects.toMatchObject(hidden)
    await expect(send(helper, await channelOf([owner], { invite_only: true }), 'x')).rejects.toMatchObject(
      hidden,
    )
    // What its owner is in, a bot is told where it asks for just that.
    const listed = async (who: KnownCaller, wishes: Record<string, unknown>) =>
      (await room.call(listChannels, who, wishes)).streams.map((stream) => stream.name)
    expect(await listed(helper, {})).not.toContain(closed)
    expect(await listed(helper, { include_owner_subscribed: true })).toContain(closed)
    expect(await listed(bot, { include_owner_subscribed: true })).not.toContain(closed)
    await room.call(addSubscriptions, anna, {
      subscriptions: [{ name: closed }],
      principals: [helper.user.id],
    })
    expect((await send(helper, closed, 'again', 'builds')).message_link).toContain(`[#${closed} > builds`)
  })
})

describe('a mention of everybody', () => {
  it('is free for few, and for many a matter of permission', async () => {
    const few = await channelOf([anna, ben])
    await send(anna, few, '@**all** hello')
    const crowd = await Promise.all(Array.from({ length: 16 }, () => room.person('member')))
    const name = await channelOf([anna, owner, ...crowd])
    await expect(send(anna, name, '@**channel** hello')).rejects.toMatchObject({
      code: 'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    })
    await send(owner, name, '@**channel** hello')
    await send(anna, name, '@_**channel** is only named')
    for (const one of crowd) await send(one, name, 'here', 'meeting')
    await expect(send(anna, name, '@**topic** hello', 'meeting')).rejects.toMatchObject({
      code: 'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
    })
    await room.settle({ can_mention_many_users_group: groups()['role:everyone'] })
    await send(anna, name, '@**topic** hello', 'meeting')
    await room.settle({ can_mention_many_users_group: groups()['role:administrators'] })
  })
})

describe('a mention of a group', () => {
  it('calls its members, however deep, who may read the message', async () => {
    const inner = await room.group({ members: [ben] })
    const outer = await room.group({ members: [carl], subgroups: [inner] })
    const name = await channelOf([anna, ben])
    const { id } = await send(anna, name, `@*group ${outer}* hello`)
    expect(await flagsFor(ben, id)).toContain('mentioned')
    // Not subscribed: nothing of it is news.
    expect(await flagsFor(carl, id)).not.toContain('mentioned')
    const direct = await write(anna, [carl], `@*GROUP ${outer}*`)
    expect(await flagsFor(carl, direct.id)).toContain('mentioned')
    const silent = await send(anna, name, `@_*group ${outer}* is only named`)
    expect(await flagsFor(ben, silent.id)).not.toContain('mentioned')
  })

  it('is refused to those who may not, and text where there is none', async () => {
    await saveGroup(room.deps.database.sql, {
      ...{ id: 900, realm_id: room.realm.id, name: 'chiefs', is_system_group: false, is_active: true },
      ...{ member_ids: [ben.user.id], subgroup_ids: [], version: 1 },
      can_mention_group: groups()['role:administrators'],
    })
    const name = await channelOf([anna, ben, owner])
    await expect(send(anna, name, '@*chiefs* hello')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    const { id } = await send(owner, name, '@*chiefs* hello')
    expect(await flagsFor(ben, id)).toContain('mentioned')
    const nobody = await send(anna, name, '@*nobody knows them*')
    expect(await flagsFor(ben, nobody.id)).not.toContain('mentioned')
  })
})

describe('direct messages', () => {
  it('are sent where somebody in the conversation authorizes them', async () => {
    await room.settle({ direct_message_permission_group: groups()['role:administrators'] })
    await expect(write(anna, [ben])).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await write(anna, [ben, owner])
    await write(anna, [anna])
    await write(anna, [bot])
    await write(bot, [anna])
    await room.settle({ direct_message_permission_group: groups()['role:nobody'] })
    await expect(write(owner, [ben])).rejects.toThrow('Direct messages are disabled')
    await room.settle({ direct_message_permission_group: groups()['role:everyone'] })
  })

  it('are begun by those who may, and answered by all', async () => {
    const dora = await room.person('member', { full_name: 'Dora' })
    await room.settle({ direct_message_initiator_group: groups()['role:administrators'] })
    await expect(write(dora, [owner])).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await write(owner, [dora])
    await write(dora, [owner])
    await room.settle({ direct_message_initiator_group: groups()['role:everyone'] })
  })
})
