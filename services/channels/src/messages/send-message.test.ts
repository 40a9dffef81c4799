import type { KnownCaller } from '@parley/contracts'
import { messageEvent } from '@parley/contracts/channels/events'
import { messagesTopic } from '@parley/contracts/channels/topics'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { closePeriods, membersAt } from '../subscriptions/period-store.ts'
import { openTestRoom, type TestRoom, testDeps } from '../test-room.ts'
import { getMessage } from './get-message.ts'
import { listMessages } from './list-messages.ts'
import { sendMessage } from './send-message.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller
let carl: KnownCaller
let guest: KnownCaller

beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person('member', { full_name: 'Anna' })
  ben = await room.person('member', { full_name: 'Ben' })
  carl = await room.person('member', { full_name: 'Carl' })
  guest = await room.person('guest', { full_name: 'Gus' })
  // Nobody follows a topic by starting it, or by being mentioned, which would be told as well (personal-flags.test.ts).
  for (const one of [anna, ben, carl, guest]) {
    await room.choose(one, {
      settings: {
        automatically_follow_topics_policy: 4,
        automatically_follow_topics_where_mentioned: false,
      },
    })
  }
})
afterAll(() => room.close())
beforeEach(async () => void (await room.announced()))

let channels = 0
const channelOf = async (members: KnownCaller[], more: object = {}): Promise<string> => {
  channels += 1
  const name = `channel ${channels}`
  await room.call(addSubscriptions, members[0]!, {
    subscriptions: [{ name }],
    principals: members.map((member) => member.user.id),
    ...more,
  })
  await room.announced()
  return name
}
const send = (from: KnownCaller, to: unknown, content: string, more: object = {}, deps = room.deps) =>
  room.call(sendMessage, from, { type: 'channel', to, topic: 'talk', content, ...more }, deps)
const channelNamed = async (name: string) => (await room.deps.channels.byName(room.realm.id, name))!

describe('a send', () => {
  it('announces to clients and to services what it stored', async () => {
    const name = await channelOf([anna, ben])
    const channel = await channelNamed(name)
    const { id, message_url, message_link } = await send(anna, name, 'Hello **Ben**', {
      queue_id: 'q',
      local_id: '1.5',
    })
    const [event, fact] = await room.announced()
    z.strictObject({ type: z.literal('message'), ...messageEvent.fields }).parse(event!.value)
    messagesTopic.value.parse(fact!.value)
    expect(event!.value).toMatchObject({
      type: 'message',
      flags: [],
      local_message_id: '1.5',
      sending_queue_id: 'q',
      message: {
        id,
        type: 'stream',
        stream_id: channel.id,
        display_recipient: name,
        recipient_id: channel.recipient_id,
        subject: 'talk',
        content: 'Hello **Ben**',
        rendered_content: '<p>Hello <strong>Ben</strong></p>',
        sender_full_name: 'Anna',
      },
    })
    expect(event!.audience).toEqual({
      realm: room.realm.id,
      personal: { [anna.user.id]: { flags: ['read'] } },
      resolve: { name: 'channel-members', args: { channel_id: channel.id, version: 1 } },
    })
    expect((await membersAt(room.deps.database.sql, channel.id, 1)).sort()).toEqual([
      anna.user.id,
      ben.user.id,
    ])
    expect(fact).toMatchObject({
      topic: 'channels.messages',
      key: String(channel.recipient_id),
      value: { realm_id: room.realm.id, message: event!.value.message, mentioned_user_ids: [] },
    })
    const slug = `${channel.id}-${name.replace(' ', '-')}`
    expect(message_url).toBe(`http://acme.chat.example/#narrow/channel/${slug}/topic/talk/near/${id}`)
    expect(message_link).toBe(`[#${name} > talk @ 💬](${message_url})`)
  })

  it('writes as many rows for many subscribers as for few', async () => {
    await room.settle({ can_mention_many_users_group: room.realm.system_groups['role:everyone'] })
    const sql = room.deps.database.sql
    const rowsWritten = async (members: number): Promise<number> => {
      const crowd = await Promise.all(Array.from({ length: members }, () => room.person()))
      const name = await channelOf(crowd)
      const count = async () => {
        const [row] = await sql<{ rows: number }[]>`
          SELECT (SELECT count(*) FROM messages) + (SELECT count(*) FROM message_flags)
            + (SELECT count(*) FROM outbox) + (SELECT count(*) FROM sent_local_ids) AS rows`
        return row!.rows
      }
      const before = await count()
      await send(crowd[0]!, name, '@**all** hello')
      return (await count()) - before
    }
    // The message, its two announcements, and that its sender follows the topic.
    expect(await rowsWritten(3)).toBe(4)
    expect(await rowsWritten(120)).toBe(4)
  })

  it('takes the longest message that renders to the most', async () => {
    const name = await channelOf([anna])
    const { id } = await send(anna, name, '😀'.repeat(10_000))
    expect((await read(anna, id)).raw_content).toHaveLength(20_000)
  })

  it('marks those who are mentioned, if it is sent to them', async () => {
    const name = await channelOf([anna, ben])
    const { id } = await send(anna, name, 'hey @**Ben** and @**Carl**, and @_**Gus**')
    const [event, fact] = await room.announced()
    expect(event!.audience.personal).toEqual({
      [anna.user.id]: { flags: ['read'] },
      [ben.user.id]: { flags: ['mentioned'] },
    })
    expect(fact!.value.mentioned_user_ids).toEqual([ben.user.id, carl.user.id])
    const flags = async (reader: KnownCaller) => (await read(reader, id)).message.flags
    expect(await flags(anna)).toEqual(['read'])
    expect(await flags(ben)).toEqual(['mentioned'])
    expect(await flags(carl)).toEqual(['read', 'historical'])
  })

  it('tells everybody of a wildcard, and a topic its participants', async () => {
    const name = await channelOf([anna, ben, carl])
    await send(ben, name, 'first')
    await room.announced()
    await send(anna, name, '@**all**')
    const [toAll] = await room.announced()
    expect(toAll!.value.flags).toEqual(['stream_wildcard_mentioned', 'wildcard_mentioned'])
    expect(toAll!.audience.personal[anna.user.id].flags).toEqual([
      'read',
      'stream_wildcard_mentioned',
      'wildcard_mentioned',
    ])
    const { id } = await send(carl, name, '@**topic**')
    const [toTopic] = (await room.announced()).slice(0, 1)
    expect(toTopic!.value.flags).toEqual([])
    expect(toTopic!.audience.personal[ben.user.id].flags).toEqual([
      'topic_wildcard_mentioned',
      'wildcard_mentioned',
    ])
    expect((await read(ben, id)).message.flags).toEqual(['topic_wildcard_mentioned', 'wildcard_mentioned'])
    const toTwo = { type: 'direct', to: [ben.user.id, carl.user.id], content: '@**everyone**' }
    const direct = await room.call(sendMessage, anna, toTwo)
    expect((await room.announced())[0]!.value.flags).toEqual([
      'stream_wildcard_mentioned',
      'wildcard_mentioned',
    ])
    expect((await read(carl, direct.id)).message.flags).toContain('stream_wildcard_mentioned')
  })

  it('shares one recipient ID between the two sides, and one among a group in any order', async () => {
    const recipientOf = async (from: KnownCaller, to: KnownCaller[]) => {
      await send(
        from,
        to.map((one) => one.user.id),
        'hi',
        { type: 'direct' },
      )
      const [event] = await room.announced()
      expect(event!.audience.users.sort()).toEqual(
        [...new Set([from, ...to].map((one) => one.user.id))].sort(),
      )
      return event!.value.message.recipient_id
    }
    expect(await recipientOf(anna, [ben])).toBe(await recipientOf(ben, [anna]))
    const group = await recipientOf(anna, [ben, carl])
    expect(await recipientOf(carl, [anna, ben])).toBe(group)
    expect(await recipientOf(anna, [anna])).not.toBe(await recipientOf(ben, [ben]))
  })

  it('makes one message of fifty parallel repetitions, over two processes', async () => {
    const name = await channelOf([anna, ben])
    const other = testDeps(room.deps.database)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        send(anna, name, 'once', { queue_id: 'q2', local_id: 'x' }, n % 2 ? room.deps : other),
      ),
    )
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1)
    const announced = await room.announced()
    expect(announced.filter((row) => row.topic === 'client-events')).toHaveLength(1)
    const again = await send(ben, name, 'other sender, same name', { queue_id: 'q2', local_id: 'x' })
    expect(again.id).not.toBe(answers[0]!.id)
  })

  it('announces in the order of IDs, whichever process sends', async () => {
    const names = [await channelOf([anna, ben]), await channelOf([anna, ben])]
    const processes = [room.deps, testDeps(room.deps.database), testDeps(room.deps.database)]
    await Promise.all(
      Array.from({ length: 150 }, (_, n) =>
        send(n % 2 ? anna : ben, names[n % 2], `m${n}`, {}, processes[n % 3]!),
      ),
    )
    const ids = (await room.announced())
      .filter((row) => row.topic === 'client-events')
      .map((row) => row.value.message.id)
    expect(ids).toHaveLength(150)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  })

  it('never lets a later reader see a higher ID before a lower one', async () => {
    const name = await channelOf([anna, ben])
    const other = testDeps(room.deps.database)
    let isOver = false
    const seen = new Set<number>()
    let highest = 0
    const watching = (async () => {
      while (!isOver) {
        const rows = await room.deps.database.sql<{ id: number }[]>`SELECT id FROM messages ORDER BY id`
        for (const { id } of rows) {
          if (!seen.has(id)) expect(id).toBeGreaterThan(highest)
          seen.add(id)
        }
        highest = Math.max(highest, ...seen)
      }
    })()
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => send(anna, name, `m${n}`, {}, n % 2 ? room.deps : other)),
    )
    isOver = true
    await watching
  })
})

describe('who may send', () => {
  it('lets members write to a public channel that they are not in', async () => {
    const name = await channelOf([ben])
    const { id } = await send(anna, name, 'from outside')
    expect((await read(anna, id)).message.flags).toEqual(['read', 'historical'])
  })

  it('tells outsiders of a private channel that there is none', async () => {
    const name = await channelOf([anna], { invite_only: true })
    const { id } = await channelNamed(name)
    await expect(send(ben, name, 'x')).rejects.toMatchObject({
      error: 'STREAM_DOES_NOT_EXIST',
      fields: { stream: name },
    })
    await expect(send(ben, id, 'x')).rejects.toMatchObject({
      error: 'STREAM_WITH_ID_DOES_NOT_EXIST',
      fields: { stream_id: id },
    })
    await expect(send(ben, 'there is none', 'x')).rejects.toMatchObject({
      error: 'STREAM_DOES_NOT_EXIST',
      message: "Channel 'there is none' does not exist",
    })
  })

  it('holds guests to the channels that they are in', async () => {
    const without = await channelOf([anna])
    const within = await channelOf([anna, guest])
    await expect(send(guest, without, 'x')).rejects.toMatchObject({ error: 'STREAM_DOES_NOT_EXIST' })
    expect((await send(guest, within, 'x')).id).toBeGreaterThan(0)
  })

  it('is decided by who is subscribed at that moment, in every process', async () => {
    const name = await channelOf([anna, ben], { invite_only: true })
    const channel = await channelNamed(name)
    const other = testDeps(room.deps.database)
    await send(ben, name, 'still in', {}, other)
    await room.deps.database.transaction((tx) =>
      closePeriods(tx.sql, channel.realm_id, [channel.id], [ben.user.id]),
    )
    await expect(send(ben, name, 'out', {}, other)).rejects.toMatchObject({ error: 'STREAM_DOES_NOT_EXIST' })
    const { id } = await send(anna, name, 'without Ben')
    await expect(read(ben, id)).rejects.toMatchObject({ message: 'Invalid message(s)' })
  })

  it('follows a change of the channel that another process made', async () => {
    const name = await channelOf([anna])
    await send(anna, name, 'known now')
    const { sql } = room.deps.database
    await sql`UPDATE channels SET name = 'new name', version = version + 1 WHERE name = ${name}`
    await room.announced()
    await expect(send(anna, name, 'x')).rejects.toMatchObject({ error: 'STREAM_DOES_NOT_EXIST' })
    await send(anna, 'NEW name', 'x')
    const [event] = await room.announced()
    expect(event!.value.message.display_recipient).toBe('new name')
  })

  it('leaves nobody of another organization, and nobody deactivated, to write to', async () => {
    const foreign = await room.person('member', { realm_id: 8, email: 'f@other.example' })
    const gone = await room.person('member', { is_active: false })
    for (const [to, msg] of [
      [[foreign.user.id], `Invalid user ID ${foreign.user.id}`],
      [['f@other.example'], "Invalid email 'f@other.example'"],
      ['nobody@x.example, person1@acme.example', "Invalid email 'nobody@x.example'"],
      [[gone.user.id], expect.stringContaining('no longer')],
    ] as const) {
      await expect(send(anna, to, 'x', { type: 'direct' })).rejects.toMatchObject({
        error: 'BAD_REQUEST',
        message: msg,
      })
    }
  })
})

const read = (reader: KnownCaller, id: number) => room.call(getMessage, reader, { message_id: String(id) })

describe('a listing', () => {
  it('has the flags and fields that a single message has', async () => {
    const name = await channelOf([anna, ben])
    const { id } = await send(anna, name, 'look', { topic: '' })
    const listed = await room.call(listMessages, ben, { anchor: 'newest', num_before: 1, num_after: 0 })
    const { message, raw_content } = await read(ben, id)
    expect(raw_content).toBe('look')
    expect(message.subject).toBe('general chat')
    expect(listed.messages).toEqual([{ ...message, avatar_url: null }])
  })
})
