import type { KnownCaller } from '@parley/contracts'
import type { Attachment } from '@parley/contracts/objects/attachment'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getMessage } from '../messages/get-message.ts'
import { sendMessage } from '../messages/send-message.ts'
import type { Deps } from '../room.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { policyAfter } from '../user-topics/move-user-topics.ts'
import { updateUserTopic } from '../user-topics/update-user-topic.ts'
import { userTopicsOf } from '../user-topics/user-topic-store.ts'
import { deleteMessage } from './delete-message.ts'
import { updateMessage } from './update-message.ts'

let room: TestRoom
let admin: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let guest: KnownCaller
beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator')
  anna = await room.person('member', { full_name: 'Anna' })
  ben = await room.person('member', { full_name: 'Ben' })
  guest = await room.person('guest')
  for (const one of [admin, anna, ben, guest]) {
    await room.choose(one, { settings: { automatically_follow_topics_policy: 4 } })
  }
})
afterAll(() => room.close())
beforeEach(async () => void (await room.announced()))

let channels = 0
const channelOf = async (people: KnownCaller[], more: object = {}) => {
  channels += 1
  const name = `follows ${channels}`
  await room.call(addSubscriptions, admin, {
    ...{ subscriptions: [{ name }], principals: people.map((one) => one.user.id), ...more },
  })
  return (await room.deps.channels.byName(room.realm.id, name))!
}
const send = async (from: KnownCaller, to: string, topic = 'talk', content = 'before') =>
  (await room.call(sendMessage, from, { type: 'channel', to, topic, content })).id
const edit = (by: KnownCaller, message_id: number, more: object, deps = room.deps) =>
  room.call(updateMessage, by, { message_id, ...more }, deps)
const told = async (type: string) => (await room.announced()).filter((one) => one.value.type === type)
const set = (who: KnownCaller, stream_id: number, topic: string, visibility_policy: number) =>
  room.call(updateUserTopic, who, { stream_id, topic, visibility_policy })
const policies = async (who: KnownCaller) =>
  Object.fromEntries(
    (await userTopicsOf(room.deps.database.sql, who.user.id)).map((one) => [
      `${one.stream_id} ${one.topic_name}`,
      one.visibility_policy,
    ]),
  )

describe('what people want of a topic', () => {
  it('goes where the whole topic goes, and is told', async () => {
    const channel = await channelOf([admin, anna, ben])
    const first = await send(anna, channel.name, 'old')
    const second = await send(anna, channel.name, 'old')
    await set(anna, channel.id, 'old', 3)
    await set(ben, channel.id, 'OLD', 1)
    await room.announced()
    await edit(admin, second, { topic: 'part', propagate_mode: 'change_one' })
    expect(await policies(anna)).toEqual({ [`${channel.id} old`]: 3 })
    await room.announced()
    await edit(admin, first, { topic: 'new' })
    expect(await policies(anna)).toEqual({ [`${channel.id} new`]: 3 })
    expect(await policies(ben)).toEqual({ [`${channel.id} new`]: 1 })
    const events = await room.announced()
    const changes = events.filter((one) => one.value.type === 'user_topic')
    expect(
      changes
        .map(({ value, audience }) => [value.topic_name, value.visibility_policy, audience.users])
        .sort((a, b) => String(a).localeCompare(String(b))),
    ).toEqual([
      ['new', 1, [ben.user.id]],
      ['new', 3, [anna.user.id]],
      ['old', 0, [anna.user.id, ben.user.id]],
    ])
    const muted = events.filter((one) => one.value.type === 'muted_topics')
    expect(muted.map(({ value, audience }) => [value.muted_topics, audience.users])).toEqual([
      [[[channel.name, 'new', expect.any(Number)]], [ben.user.id]],
    ])
    // Resolving is a move of the topic like any other; another spelling is none.
    await edit(anna, first, { topic: '✔ new', propagate_mode: 'change_all' })
    expect(await policies(anna)).toEqual({ [`${channel.id} ✔ new`]: 3 })
    await room.announced()
    await edit(admin, first, { topic: '✔ NEW', propagate_mode: 'change_all' })
    expect(await told('user_topic')).toEqual([])
  })

  it('is of two topics that become one the one that shows more', async () => {
    const order = [1, 0, 2, 3] as const
    for (const before of order) {
      for (const there of order) {
        const more = order.indexOf(before) > order.indexOf(there) ? before : there
        expect(policyAfter(before, there, true)).toBe(more)
        expect(policyAfter(before, there, false)).toBe(before)
      }
    }
    const channel = await channelOf([admin, anna, ben])
    const first = await send(anna, channel.name, 'one')
    await send(anna, channel.name, 'two')
    await set(anna, channel.id, 'one', 1)
    await set(anna, channel.id, 'two', 2)
    await set(ben, channel.id, 'two', 1)
    await edit(admin, first, { topic: 'two', propagate_mode: 'change_all' })
    expect((await policies(anna))[`${channel.id} two`]).toBe(2)
    expect((await policies(ben))[`${channel.id} two`]).toBe(undefined)
  })

  it('ends for those who may not read where it goes', async () => {
    const open = await channelOf([admin, anna, ben, guest])
    const closed = await channelOf([admin, anna], { invite_only: true })
    const id = await send(anna, open.name, 'plans')
    for (const who of [anna, ben, guest]) await set(who, open.id, 'plans', 3)
    await edit(admin, id, { stream_id: closed.id, propagate_mode: 'change_all' })
    expect((await policies(anna))[`${closed.id} plans`]).toBe(3)
    for (const who of [ben, guest])
      expect(Object.keys(await policies(who))).not.toContain(`${closed.id} plans`)
    const users = (await told('user_topic')).flatMap(({ value, audience }) =>
      value.stream_id === closed.id ? audience.users : [],
    )
    expect(users).toEqual([anna.user.id])
  })
})

describe('a change of content', () => {
  it('calls many only by permission, and groups too', async () => {
    const many = await Promise.all(Array.from({ length: 16 }, () => room.person()))
    const channel = await channelOf([admin, anna, ...many])
    const id = await send(anna, channel.name)
    await room.settle({ can_mention_many_users_group: room.realm.system_groups['role:administrators'] })
    await expect(edit(anna, id, { content: '@**all**' })).rejects.toMatchObject({
      error: 'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    })
    const group = await room.group({ members: [many[0]!] })
    await edit(anna, id, { content: `@*group ${group}*` })
    const { message } = await room.call(getMessage, many[0]!, { message_id: id })
    expect(message.flags).toEqual(['mentioned'])
    expect(message.content).toContain(`data-user-group-id="${group}"`)
    await edit(anna, id, { content: '  ' })
    expect((await room.call(getMessage, anna, { message_id: id })).message.content).toBe('<p>(deleted)</p>')
  })

  it('names the files that nothing refers to any more, and succeeds without them', async () => {
    const path = (name: string) => `${room.realm.id}/ab/${'x'.repeat(24)}/${name}`
    const link = (name: string) => `[${name}](/user_uploads/${path(name)})`
    const channel = await channelOf([admin, anna])
    const id = await send(anna, channel.name, 'files', `${link('a.txt')} ${link('b.txt')}`)
    const asked: unknown[] = []
    const file = { id: 1, name: 'a.txt', path_id: path('a.txt'), size: 1, create_time: 1, message_ids: [] }
    const asking = (answer: () => { attachments: Attachment[] }): Deps =>
      Object.create(room.deps, {
        ask: {
          value: async ({ name }: { name: string }, input: unknown) => {
            if (name !== 'detached-files') return { files: [] }
            asked.push(input)
            return answer()
          },
        },
      })
    const { detached_uploads } = await edit(
      anna,
      id,
      { content: link('b.txt') },
      asking(() => ({ attachments: [file] })),
    )
    expect(detached_uploads).toEqual([file])
    expect(asked).toEqual([
      { realm_id: room.realm.id, user_id: anna.user.id, message_id: id, path_ids: [path('a.txt')] },
    ])
    const away = asking(() => {
      throw new Error('away')
    })
    expect(await edit(anna, id, { content: 'none' }, away)).toEqual({ detached_uploads: [] })
    expect(await edit(anna, id, { content: 'nothing' }, away)).toEqual({ detached_uploads: [] })
    expect(asked).toHaveLength(2)
  })
})

it('a deleted message is archived with all that hangs on it', async () => {
  const channel = await channelOf([admin, anna])
  const id = await send(anna, channel.name, 'gone', '/poll x @**Anna**')
  await room.call(deleteMessage, admin, { message_id: id })
  await expect(room.call(getMessage, anna, { message_id: id })).rejects.toMatchObject({
    message: 'Invalid message(s)',
  })
  const rows = await room.deps.database.sql<{ origin: string; content: { content?: string } }[]>`
    SELECT origin, content FROM archived_rows WHERE message_id = ${id} ORDER BY origin`
  expect(rows.map((row) => row.origin)).toEqual(['message_flags', 'messages', 'submessages'])
  expect(rows[1]!.content.content).toBe('/poll x @**Anna**')
})

it('topics are linked by the patterns of the organization, in events and listings', async () => {
  const linkifiers = [{ pattern: 'bug#(?P<id>[0-9]+)', url_template: 'https://bugs.example/{id}' }]
  room.deps.realms.learn({
    ...(await room.deps.realms.get(room.realm.id)),
    linkifiers,
    version: 1000,
  })
  const channel = await channelOf([admin, anna])
  const id = await send(anna, channel.name, 'bug#7 on https://x.example/a')
  const links = [
    { text: 'bug#7', url: 'https://bugs.example/7' },
    { text: 'https://x.example/a', url: 'https://x.example/a' },
  ]
  const [event] = await told('message')
  expect(event!.value.message.topic_links).toEqual(links)
  expect((await room.call(getMessage, anna, { message_id: id })).message.topic_links).toEqual(links)
  await edit(admin, id, { topic: 'bug#8' })
  const [moved] = await told('update_message')
  expect(moved!.value.topic_links).toEqual([{ text: 'bug#8', url: 'https://bugs.example/8' }])
})
