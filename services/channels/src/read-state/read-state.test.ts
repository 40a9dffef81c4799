import type { KnownCaller } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { savePersonal } from '../directory/personal-store.ts'
import { conversationOf } from '../messages/conversation-store.ts'
import { listMessages } from '../messages/list-messages.ts'
import { sendMessage } from '../messages/send-message.ts'
import { sendMessages } from '../messages/send-store.ts'
import { rehearsal, withSender } from '../scheduler/senders.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { getReadReceipts } from './get-read-receipts.ts'
import { markAllAsRead } from './mark-all-as-read.ts'
import { markStreamAsRead } from './mark-stream-as-read.ts'
import { markTopicAsRead } from './mark-topic-as-read.ts'
import { channelOf, flagsOf, readSection, room, send, told, unreadIds, unreadOf } from './reading-room.ts'
import { recentPrivateConversationsSection } from './recent-private-conversations-section.ts'
import { starredMessagesSection } from './starred-messages-section.ts'
import { unreadSection } from './unread-section.ts'
import { updateMessageFlags } from './update-message-flags.ts'
import { updateMessageFlagsForNarrow } from './update-message-flags-for-narrow.ts'

describe('what is read', () => {
  it('is what a naive model says, whatever is marked in whichever order', async () => {
    const [writer, reader] = [await room.person(), await room.person()]
    const channels = [
      await channelOf('random one', [writer, reader]),
      await channelOf('random two', [writer, reader]),
    ]
    const model = new Map<number, { channel: number; topic: string; isUnread: boolean }>()
    let state = 7
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    for (let step = 0; step < 60; step += 1) {
      const channel = channels[random(2)]!
      const topic = `topic ${random(3)}`
      const known = [...model.keys()]
      const some = known.filter(() => random(3) === 0)
      const set = (ids: number[], isUnread: boolean) => {
        for (const id of ids) model.get(id)!.isUnread = isUnread
      }
      switch (random(9)) {
        case 0:
          await room.call(updateMessageFlags, reader, { messages: some, op: 'add', flag: 'read' })
          set(some, false)
          break
        case 1:
          await room.call(updateMessageFlags, reader, { messages: some, op: 'remove', flag: 'read' })
          set(some, true)
          break
        case 2:
          if (step % 3 > 0) break
          await room.call(markStreamAsRead, reader, { stream_id: channel.id })
          set(
            known.filter((id) => model.get(id)!.channel === channel.id),
            false,
          )
          break
        case 3:
          await room.call(markTopicAsRead, reader, { stream_id: channel.id, topic_name: topic.toUpperCase() })
          set(
            known.filter((id) => model.get(id)!.channel === channel.id && model.get(id)!.topic === topic),
            false,
          )
          break
        case 4: {
          const anchor = known[random(known.length)] ?? 0
          const sent = { anchor, num_before: 3, num_after: 0, narrow: [], flag: 'read', op: 'remove' }
          const reply = await room.call(updateMessageFlagsForNarrow, reader, sent)
          const ids = known.filter((id) => id <= anchor).slice(-4)
          expect(reply.processed_count).toBe(ids.length)
          expect(reply.updated_count).toBe(ids.filter((id) => !model.get(id)!.isUnread).length)
          set(ids, true)
          break
        }
        default:
          for (let n = 0; n < 4; n += 1) {
            const id = await send(writer, channel.name, topic)
            model.set(id, { channel: channel.id, topic, isUnread: true })
          }
      }
      const expected = [...model].filter(([, one]) => one.isUnread).map(([id]) => id)
      expect(await unreadOf(reader)).toEqual(expected)
      if (step % 10 === 0) expect(unreadIds(await readSection(unreadSection, reader))).toEqual(expected)
    }
    await room.call(markAllAsRead, reader)
    expect(await unreadOf(reader)).toEqual([])
    const [left] = await room.deps.database.sql<{ count: number }[]>`
      SELECT count(*) AS count FROM read_exceptions WHERE user_id = ${reader.user.id}`
    expect(left!.count).toBe(0)
  })

  it('takes few rows where much is read after one old message', async () => {
    const [writer, reader] = [await room.person(), await room.person()]
    await channelOf('long', [writer, reader])
    const ids: number[] = []
    for (let n = 0; n < 12; n += 1) {
      ids.push(...(await Promise.all(Array.from({ length: 50 }, () => send(writer, 'long', 'talk')))))
    }
    await room.call(updateMessageFlags, reader, { messages: ids.slice(1), op: 'add', flag: 'read' })
    expect(await unreadOf(reader)).toEqual([ids[0]])
    const [kept] = await room.deps.database.sql<{ count: number }[]>`
      SELECT count(*) AS count FROM read_exceptions WHERE user_id = ${reader.user.id}`
    expect(kept!.count).toBe(1)
  })
})

describe('flags', () => {
  it('are told to their owner, with what is unread, only where something changed', async () => {
    const [writer, reader] = [await room.person(), await room.person()]
    const channel = await channelOf('told', [writer, reader])
    const id = await send(writer, 'told', 'talk', '@**all**')
    const direct = await room.call(sendMessage, writer, {
      type: 'direct',
      to: [reader.user.id],
      content: 'hi',
    })
    const both = [id, direct.id]
    await room.announced()
    const change = (flag: string, op: string) =>
      room.call(updateMessageFlags, reader, { messages: both, flag, op })
    expect(await change('read', 'add')).toEqual({
      messages: both,
      ignored_because_not_subscribed_channels: [],
    })
    await change('read', 'add')
    expect(await told(reader)).toEqual([
      { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', messages: both, all: false },
    ])
    await change('read', 'remove')
    const [removed] = await told(reader)
    expect(removed).toMatchObject({ op: 'remove', flag: 'read', messages: both, all: false })
    expect(removed.message_details).toEqual({
      [id]: {
        type: 'stream',
        mentioned: true,
        stream_id: channel.id,
        topic: 'talk',
        unmuted_stream_msg: true,
      },
      [direct.id]: { type: 'private', user_ids: [writer.user.id] },
    })
    await change('starred', 'add')
    await change('collapsed', 'add')
    expect((await flagsOf(reader)).get(direct.id)).toEqual(['starred', 'collapsed'])
    expect(await readSection(starredMessagesSection, reader)).toEqual({ starred_messages: both })
    await change('starred', 'remove')
    expect(await readSection(starredMessagesSection, reader)).toEqual({ starred_messages: [] })
    expect(await readSection(recentPrivateConversationsSection, reader)).toEqual({
      recent_private_conversations: [{ max_message_id: direct.id, user_ids: [writer.user.id] }],
    })
  })

  it.each([
    ['mentioned', "Flag not editable: 'mentioned'"],
    ['brilliant', "Invalid flag: 'brilliant'"],
  ])('%s cannot be set', async (flag, message) => {
    const reader = await room.person()
    await expect(
      room.call(updateMessageFlags, reader, { messages: [], op: 'add', flag }),
    ).rejects.toMatchObject({ error: 'BAD_REQUEST', message })
  })

  it('come to nothing when the message is deleted meanwhile', async () => {
    const [ann, bob] = [await room.person(), await room.person()]
    await channelOf('short-lived', [ann, bob])
    const id = await send(ann, 'short-lived', 'soon')
    await room.call(updateMessageFlags, bob, { messages: [id], op: 'add', flag: 'read' })
    await room.announced()
    const changes = [
      { op: 'add', flag: 'starred' },
      { op: 'add', flag: 'collapsed' },
      { op: 'remove', flag: 'read' },
    ]
    const { database } = room.deps
    const changing = await database.transaction(async (tx) => {
      await tx.sql`DELETE FROM messages WHERE id = ${id}`
      const started = changes.map((change) =>
        room.call(updateMessageFlags, bob, { messages: [id], ...change }),
      )
      await room.heldUp(changes.length)
      return { all: Promise.all(started) }
    })
    await changing.all
    expect(await told(bob)).toEqual([])
    expect(await readSection(starredMessagesSection, bob)).toEqual({ starred_messages: [] })
  })

  it('belong to messages that can be read: one that cannot spoils all, and nothing is written', async () => {
    const [writer, stranger, guest] = [await room.person(), await room.person(), await room.person('guest')]
    await channelOf('hidden', [writer], { invite_only: true })
    await channelOf('public', [writer])
    const hidden = await send(writer, 'hidden', 'talk')
    const open = await send(writer, 'public', 'talk')
    for (const [reader, id] of [
      [stranger, hidden],
      [guest, open],
      [stranger, 999_999],
    ] as const) {
      await expect(
        room.call(updateMessageFlags, reader, { messages: [id], op: 'add', flag: 'starred' }),
      ).rejects.toMatchObject({ error: 'BAD_REQUEST', message: 'Invalid message(s)' })
    }
    // History that was not sent to the reader can be starred, and cannot be unread.
    const star = { messages: [open], op: 'add', flag: 'starred' }
    await room.call(updateMessageFlags, stranger, star)
    const unreading = { messages: [open], op: 'remove', flag: 'read' }
    const { id: channelId } = (await room.deps.channels.byName(room.realm.id, 'public'))!
    expect(await room.call(updateMessageFlags, stranger, unreading)).toEqual({
      messages: [open],
      ignored_because_not_subscribed_channels: [channelId],
    })
    const listed = await room.call(listMessages, stranger, { message_ids: [open] })
    expect(listed.messages[0]!.flags).toEqual(['read', 'starred', 'historical'])
    await expect(
      room.call(markStreamAsRead, stranger, {
        stream_id: (await room.deps.channels.byName(room.realm.id, 'hidden'))!.id,
      }),
    ).rejects.toMatchObject({ message: 'Invalid channel ID' })
  })
})

it('all is read before a message, or after it', async () => {
  const [writer, reader] = [await room.person(), await room.person()]
  const { recipient_id } = await channelOf('read all at once', [writer, reader])
  await room.call(updateMessageFlags, reader, {
    messages: [await send(writer, 'read all at once', 'a')],
    op: 'add',
    flag: 'read',
  })
  await room.announced()
  const mark = await room.hold(
    (sql) => sql`
      SELECT FROM read_marks WHERE user_id = ${reader.user.id} AND recipient_id = ${recipient_id} FOR UPDATE`,
  )
  const marking = room.call(markAllAsRead, reader)
  await room.heldUp(1)
  let isSent = false
  const sending = send(writer, 'read all at once', 'b').finally(() => {
    isSent = true
  })
  await room.heldUp(2, () => isSent)
  await mark.letGo()
  await marking
  const id = await sending
  const heard = (await room.announced())
    .map(({ value }) => value.type)
    .filter((type) => type === 'message' || type === 'update_message_flags')
  expect(heard.toSorted()).toEqual(['message', 'update_message_flags'])
  expect(await unreadOf(reader)).toEqual(heard[0] === 'message' ? [] : [id])
})

it('all is read of a conversation that begins meanwhile, too', async () => {
  const [writer, reader] = [await room.person(), await room.person()]
  const { database } = room.deps
  const seen = rehearsal(database)
  const sent = { type: 'direct', to: [reader.user.id], content: 'text' }
  await room.call(sendMessage, writer, sent, withSender(room.deps, seen))
  const marking = await database.transaction(async ({ sql }) => {
    await lockRealmOrder(sql, room.realm.id)
    const marked = room.call(markAllAsRead, reader)
    await room.heldUp(1)
    const recipient_id = await conversationOf(sql, room.realm.id, [reader.user.id])
    await sendMessages(sql, [{ ...seen.message!, recipient_id, wishes: null }])
    return { marked }
  })
  await marking.marked
  expect(await unreadOf(reader)).toEqual([])
})

describe('read receipts', () => {
  it('name who has read, as far as the organization and they themselves allow', async () => {
    const [writer, reader, silent, muted, late] = await Promise.all(
      Array.from({ length: 5 }, () => room.person()),
    )
    await channelOf('receipts', [writer!, reader!, silent!, muted!, late!])
    const id = await send(writer!, 'receipts', 'talk')
    for (const one of [reader!, silent!, muted!]) {
      await room.call(updateMessageFlags, one, { messages: [id], op: 'add', flag: 'read' })
    }
    const ask = (caller: KnownCaller) => room.call(getReadReceipts, caller, { message_id: id })
    await room.settle({ enable_read_receipts: false })
    await expect(ask(writer!)).rejects.toMatchObject({
      message: 'Read receipts are disabled in this organization.',
    })
    await room.settle({ enable_read_receipts: true })
    const fact = { realm_id: room.realm.id, settings: {}, alert_words: [], muted_user_ids: [], version: 1 }
    const { sql } = room.deps.database
    await savePersonal(sql, { ...fact, id: silent!.user.id, settings: { send_read_receipts: false } })
    await savePersonal(sql, { ...fact, id: writer!.user.id, muted_user_ids: [muted!.user.id] })
    expect(await ask(writer!)).toEqual({ user_ids: [reader!.user.id] })
    expect((await ask(late!)).user_ids).toEqual([reader!.user.id, muted!.user.id].sort((a, b) => a - b))
    await expect(ask(await room.person('guest'))).rejects.toMatchObject({ message: 'Invalid message(s)' })
  })
})
