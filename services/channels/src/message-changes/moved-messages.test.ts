import type { KnownCaller } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { getMessage } from '../messages/get-message.ts'
import { listMessages } from '../messages/list-messages.ts'
import { updateMessageFlags } from '../read-state/update-message-flags.ts'
import { repeatMessage } from '../test-crowds.ts'
import {
  admin,
  age,
  anna,
  at,
  ben,
  channelOf,
  edit,
  guest,
  ids,
  refusal,
  room,
  send,
  stranger,
  told,
} from './changing-room.ts'
import { getMessageHistory } from './get-message-history.ts'

describe('moving', () => {
  it('takes one message, those after it, or the whole topic', async () => {
    const channel = await channelOf([anna, ben])
    const sent: number[] = []
    for (let n = 0; n < 4; n += 1) sent.push(await send(anna, channel.name, 'Old'))
    await room.announced()
    await edit(ben, sent[3]!, { topic: 'one' })
    await edit(ben, sent[1]!, { topic: 'later', propagate_mode: 'change_later' })
    const back = { topic: 'all', propagate_mode: 'change_all', send_notification_to_old_thread: true }
    await edit(ben, sent[1]!, back)
    const events = await told('update_message')
    expect(new Set(events.map((one) => one.value.message_ids.join()))).toEqual(
      new Set([`${sent[3]}`, `${sent[1]},${sent[2]}`]),
    )
    expect(events[0]!.value).toMatchObject({
      orig_subject: 'Old',
      subject: 'one',
      propagate_mode: 'change_one',
      stream_id: channel.id,
      topic_links: [],
    })
    const topics = await Promise.all(sent.map(async (id) => (await at(ben, id)).subject))
    expect(topics).toEqual(['Old', 'all', 'all', 'one'])
    const moved = await at(ben, sent[1]!)
    expect(moved.edit_history!.map(({ prev_topic, topic }) => [prev_topic, topic])).toEqual([
      ['later', 'all'],
      ['Old', 'later'],
    ])
    expect(moved.last_moved_timestamp).toBeDefined()
    const notices = await room.deps.database.sql<{ topic: string; content: string }[]>`
      SELECT topic, content FROM notices WHERE channel_id = ${channel.id} ORDER BY id`
    expect(notices.map((one) => one.topic)).toEqual(['one', 'later', 'all', 'later'])
    expect(notices[2]!.content).toBe(
      `This topic was moved here from #**${channel.name}>later** by @_**Person 3|${ben.user.id}**.`,
    )
  })

  it('takes a topic of 200,000 messages whole, told in events that are no larger than one may be', async () => {
    const channel = await channelOf([anna, ben])
    const first = await send(anna, channel.name, 'builds')
    const { sql } = room.deps.database
    await repeatMessage(room, first, 200_000)
    await room.announced()
    await edit(admin, first, { topic: 'old builds', propagate_mode: 'change_all' })
    const rows = await room.announced()
    const [count] = await sql`
      SELECT count(*)::int AS moved, count(edit_history)::int AS recorded FROM messages
      WHERE channel_id = ${channel.id} AND topic = 'old builds'`
    expect(count).toEqual({ moved: 200_001, recorded: 200_001 })
    const events = rows.filter(({ value }) => value.type === 'update_message')
    const toldTo = (who: KnownCaller): number[] =>
      events
        .filter(({ audience }) => audience.users.includes(who.user.id))
        .flatMap(({ value }) => value.message_ids)
    for (const who of [anna, ben]) expect(new Set(toldTo(who)).size).toBe(toldTo(who).length)
    expect([anna, ben].map((who) => toldTo(who).length)).toEqual([200_001, 200_001])
    expect(Math.max(...events.map(({ value }) => value.message_ids.length))).toBeLessThanOrEqual(200_000)
  }, 60_000)

  it('shows the topic without a name under one, everywhere, to clients that do not know it', async () => {
    const channel = await channelOf([anna, ben])
    const id = await send(anna, channel.name, '')
    await edit(ben, id, { topic: 'named' })
    await edit(ben, id, { topic: '' })
    const seen = async (allow_empty_topic_name: boolean) => {
      const { message } = await room.call(getMessage, ben, { message_id: id, allow_empty_topic_name })
      const history = await room.call(getMessageHistory, ben, { message_id: id, allow_empty_topic_name })
      const topics = (entries: readonly { topic?: string | undefined; prev_topic?: string | undefined }[]) =>
        entries.map(({ topic, prev_topic }) => [prev_topic, topic])
      return [message.subject, topics(message.edit_history!), topics(history.message_history)]
    }
    const as = (name: string) => [
      name,
      [
        ['named', name],
        [name, 'named'],
      ],
      [
        [undefined, name],
        [name, 'named'],
        ['named', name],
      ],
    ]
    expect(await seen(true)).toEqual(as(''))
    expect(await seen(false)).toEqual(as('general chat'))
  })

  it('resolves topics without counting as a move', async () => {
    const channel = await channelOf([anna, ben])
    const id = await send(anna, channel.name)
    await age(id, 1_000_000)
    await edit(ben, id, { topic: '✔ talk', propagate_mode: 'change_all' })
    expect((await at(ben, id)).last_moved_timestamp).toBeUndefined()
    await room.settle({ can_resolve_topics_group: room.realm.system_groups['role:nobody'] })
    await expect(edit(ben, id, { topic: 'talk' })).rejects.toMatchObject(refusal(/resolve topics/))
    await room.settle({ can_resolve_topics_group: room.realm.system_groups['role:everyone'] })
    const general = await send(anna, channel.name, '')
    await expect(edit(ben, general, { topic: '✔ ' })).rejects.toMatchObject(
      refusal('General chat cannot be marked as resolved'),
    )
  })

  it('has limits of time, and says what may still be moved', async () => {
    const channel = await channelOf([anna, admin])
    const sent: number[] = []
    for (let n = 0; n < 4; n += 1) sent.push(await send(anna, channel.name))
    for (const id of sent.slice(0, 2)) await age(id, 604_900)
    const whole = { topic: 'new', propagate_mode: 'change_all' }
    const exceeded = {
      error: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
      fields: {
        first_message_id_allowed_to_move: sent[2],
        total_messages_in_topic: 4,
        total_messages_allowed_to_move: 2,
      },
    }
    await expect(edit(anna, sent[3]!, whole)).rejects.toMatchObject(exceeded)
    await expect(edit(anna, sent[0]!, whole)).rejects.toMatchObject(exceeded)
    await expect(edit(anna, sent[0]!, { topic: 'new' })).rejects.toMatchObject(refusal(/time limit/))
    await edit(anna, sent[2]!, { topic: 'new', propagate_mode: 'change_later' })
    await expect(edit(anna, sent[0]!, whole)).rejects.toMatchObject(refusal(/time limit/))
    await edit(admin, sent[0]!, whole)
    expect((await at(anna, sent[0]!)).subject).toBe('new')
  })

  it('is for those who have the permissions', async () => {
    const [from, to] = [await channelOf([anna, guest]), await channelOf([anna, guest])]
    const hidden = await channelOf([admin], { invite_only: true })
    const id = await send(anna, from.name)
    await expect(edit(guest, id, { stream_id: to.id })).rejects.toMatchObject(refusal(/permission to move/))
    await expect(edit(anna, id, { stream_id: hidden.id })).rejects.toMatchObject(
      refusal('Invalid channel ID'),
    )
    const groups = room.realm.system_groups
    await room.settle({ can_move_messages_between_topics_group: groups['role:moderators'] })
    // Whoever made the channel administers it.
    await expect(edit(anna, id, { topic: 'x' })).resolves.toBeDefined()
    await expect(edit(ben, id, { topic: 'y' })).rejects.toMatchObject(refusal(/permission to edit/))
    await room.settle({ can_move_messages_between_topics_group: groups['role:everyone'] })
  })

  it('to a private channel takes messages away from those who are not in it', async () => {
    const open = await channelOf([anna, ben, stranger, guest])
    const secret = await channelOf([admin, anna, ben], { invite_only: true })
    const id = await send(anna, open.name)
    await room.announced()
    await edit(anna, id, { stream_id: secret.id, topic: 'hidden' })
    const announced = await room.announced()
    const of = (type: string) => announced.filter((one) => one.value.type === type)
    const updated = of('update_message').flatMap((one) => one.audience.users)
    expect(updated.sort()).toEqual(ids(anna, ben, admin))
    expect(of('update_message')[0]!.value).toMatchObject({
      stream_id: open.id,
      new_stream_id: secret.id,
      orig_subject: 'talk',
      subject: 'hidden',
    })
    const deleted = of('delete_message')
    expect(deleted.flatMap((one) => one.audience.users).sort()).toEqual(ids(stranger, guest))
    expect(deleted[0]!.value).toEqual({
      type: 'delete_message',
      message_type: 'stream',
      message_ids: [id],
      stream_id: open.id,
      topic: 'talk',
    })
    await expect(at(stranger, id)).rejects.toMatchObject(refusal('Invalid message(s)'))
    // Who finds it there finds history; who had it unread has it unread.
    expect((await at(admin, id)).flags).toEqual(['read', 'historical'])
    expect((await at(ben, id)).flags).toEqual([])
    const all = { anchor: 'oldest', num_before: 0, num_after: 500 }
    const inSecret = await room.call(listMessages, ben, { ...all, narrow: [['channel', secret.id]] })
    expect(inSecret.messages.map((one) => one.id)).toEqual([id])
    const own = await room.call(listMessages, admin, all)
    expect(own.messages.map((one) => one.id)).toContain(id)
  })

  it('to another channel is read there by who had it unread and is not in that channel', async () => {
    const [from, to] = [await channelOf([anna, ben, stranger]), await channelOf([anna, ben])]
    const id = await send(anna, from.name)
    const read = await send(anna, from.name)
    const own = await send(stranger, from.name)
    for (const [op, message] of [
      ['add', read],
      ['remove', own],
    ] as const) {
      await room.call(updateMessageFlags, stranger, { messages: [message], op, flag: 'read' })
    }
    await room.announced()
    await edit(anna, id, { stream_id: to.id, propagate_mode: 'change_all' })
    const rows = await told('update_message_flags')
    expect(rows.map(({ value, users }) => [value.op, value.flag, value.messages, users])).toEqual([
      ['add', 'read', [id, own], ids(stranger)],
    ])
    for (const one of [id, read, own]) expect((await at(stranger, one)).flags).toContain('read')
  })

  it.each([
    ['is read there if it was read on its way', 'the moved', true],
    ['stays unread there when what lies after it is read on its way', 'the later', false],
  ])('to another channel, %s', async (_, which, isRead) => {
    const [from, to] = [await channelOf([anna, ben]), await channelOf([anna, ben])]
    const moved = await send(anna, from.name)
    const later = await send(anna, to.name)
    // A move meets this after it has carried over what is read.
    const order = await room.hold((sql) => sql`SELECT lock_realm_order(${room.realm.id})`)
    const moving = edit(anna, moved, { stream_id: to.id })
    await room.heldUp(1)
    const change = { messages: [which === 'the moved' ? moved : later], op: 'add', flag: 'read' }
    let isMarked = false
    const marking = room.call(updateMessageFlags, ben, change).finally(() => {
      isMarked = true
    })
    await room.heldUp(2, () => isMarked)
    await order.letGo()
    await Promise.all([moving, marking])
    expect((await at(ben, moved)).flags.includes('read')).toBe(isRead)
  })

  it('to another channel makes one history begin later, and may make the other begin earlier', async () => {
    const [from, to] = [await channelOf([anna, ben]), await channelOf([anna, ben])]
    const first = await send(anna, from.name)
    const second = await send(anna, from.name)
    const there = await send(anna, to.name)
    await room.announced()
    const firsts = async () =>
      (await told('stream')).map(({ value }) => [value.property, value.stream_id, value.value])
    await edit(anna, second, { stream_id: to.id })
    expect(await firsts()).toEqual([['first_message_id', to.id, second]])
    await edit(anna, first, { stream_id: to.id })
    expect(await firsts()).toEqual([
      ['first_message_id', from.id, null],
      ['first_message_id', to.id, first],
    ])
    await edit(anna, there, { stream_id: from.id })
    expect(await firsts()).toEqual([['first_message_id', from.id, there]])
    await edit(anna, there, { topic: 'elsewhere' })
    expect(await firsts()).toEqual([])
  })

  it('out of a private channel tells of it only those who know that channel', async () => {
    const secret = await channelOf([anna, ben], { invite_only: true })
    const open = await channelOf([anna, stranger])
    const id = await send(anna, secret.name)
    await room.announced()
    await edit(anna, id, { stream_id: open.id })
    expect((await told('update_message')).flatMap((one) => one.users).sort()).toEqual(ids(anna, ben))
    expect((await at(stranger, id)).stream_id).toBe(open.id)
  })
})
