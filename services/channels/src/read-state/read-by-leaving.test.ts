import { describe, expect, it } from 'vitest'
import { closePeriods } from '../subscriptions/period-store.ts'
import { removeSubscriptions } from '../subscriptions/remove-subscriptions.ts'
import { channelOf, readSection, room, send, told, unreadIds } from './reading-room.ts'
import { unreadSection } from './unread-section.ts'
import { updateMessageFlags } from './update-message-flags.ts'

describe('who leaves', () => {
  it('has nothing unread there, now and after coming back', async () => {
    const [writer, reader] = [await room.person(), await room.person()]
    const channel = await channelOf('left', [writer, reader])
    await send(writer, 'left', 'talk')
    await room.deps.database.transaction(async (tx) => {
      await tx.sql`SELECT FROM channels WHERE id = ${channel.id} FOR NO KEY UPDATE`
      await closePeriods(tx.sql, channel.realm_id, [channel.id], [reader.user.id])
    })
    await send(writer, 'left', 'talk')
    expect(unreadIds(await readSection(unreadSection, reader))).toEqual([])
    await channelOf('left', [reader])
    const id = await send(writer, 'left', 'talk')
    expect(unreadIds(await readSection(unreadSection, reader))).toEqual([id])
  })

  it('has nothing unread there either that was becoming unread meanwhile', async () => {
    const [writer, reader] = [await room.person(), await room.person()]
    await channelOf('left meanwhile', [writer, reader])
    const id = await send(writer, 'left meanwhile', 'talk')
    await room.call(updateMessageFlags, reader, { messages: [id], op: 'add', flag: 'read' })
    await room.announced()
    const message = await room.hold((sql) => sql`SELECT FROM messages WHERE id = ${id} FOR UPDATE`)
    const change = { messages: [id], op: 'remove', flag: 'read' }
    const changing = room.call(updateMessageFlags, reader, change)
    await room.heldUp(1)
    let isGone = false
    const leaving = room
      .call(removeSubscriptions, reader, { subscriptions: ['left meanwhile'] })
      .finally(() => {
        isGone = true
      })
    await room.heldUp(2, () => isGone)
    await message.letGo()
    await Promise.all([changing, leaving])
    expect(unreadIds(await readSection(unreadSection, reader))).toEqual([])
    expect((await told(reader)).map(({ op, messages }) => [op, messages])).toEqual([
      ['remove', [id]],
      ['add', [id]],
    ])
  })

  it('is told what is read by that, and nobody of anything else', async () => {
    const [writer, reader, other, idle] = await Promise.all(Array.from({ length: 4 }, () => room.person()))
    const people = [writer!, reader!, other!, idle!]
    await channelOf('left at last', people)
    await channelOf('kept', people)
    const [first, second, third] = [
      await send(writer!, 'left at last', 'a'),
      await send(writer!, 'left at last', 'b'),
      await send(writer!, 'left at last', 'a'),
    ]
    await send(writer!, 'kept', 'a')
    await room.call(updateMessageFlags, reader!, {
      messages: [first, second, third],
      op: 'add',
      flag: 'read',
    })
    await room.call(updateMessageFlags, reader!, { messages: [first], op: 'remove', flag: 'read' })
    await room.call(updateMessageFlags, other!, { messages: [second], op: 'add', flag: 'read' })
    await room.announced()
    const leaving = { subscriptions: ['left at last'], principals: people.slice(1).map((one) => one.user.id) }
    await room.call(removeSubscriptions, await room.person('administrator'), leaving)
    const rows = await room.announced()
    const read = rows.filter(({ value }) => value.type === 'update_message_flags')
    expect(read.map(({ audience, value }) => [audience.users, value.messages])).toEqual(
      expect.arrayContaining([
        [[reader!.user.id], [first]],
        [[other!.user.id], [first, third]],
        [[idle!.user.id], [first, second, third]],
      ]),
    )
    expect(read).toHaveLength(3)
    expect(read[0]!.value).toMatchObject({ op: 'add', operation: 'add', flag: 'read', all: false })
    // The client knows by then why.
    expect(rows.findIndex(({ value }) => value.op === 'remove')).toBeLessThan(rows.indexOf(read[0]!))
    await channelOf('left at last', people)
    await room.announced()
    await room.call(removeSubscriptions, idle!, { subscriptions: ['left at last'] })
    expect(await told(idle!)).toEqual([])
  })
})
