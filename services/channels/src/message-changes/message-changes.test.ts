import { createHash } from 'node:crypto'
import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateChannel } from '../channels/update-channel.ts'
import { getMessage } from '../messages/get-message.ts'
import { listMessages } from '../messages/list-messages.ts'
import { sendMessage } from '../messages/send-message.ts'
import { updateMessageFlags } from '../read-state/update-message-flags.ts'
import { addSubscriptions } from '../subscriptions/add-subscriptions.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { deleteMessage } from './delete-message.ts'
import { getMessageHistory } from './get-message-history.ts'
import { updateMessage } from './update-message.ts'

let room: TestRoom
let admin: KnownCaller
let anna: KnownCaller
let ben: KnownCaller
let stranger: KnownCaller
let guest: KnownCaller
beforeAll(async () => {
  room = await openTestRoom()
  admin = await room.person('administrator')
  anna = await room.person()
  ben = await room.person()
  stranger = await room.person()
  guest = await room.person('guest')
})
afterAll(() => room.close())

let channels = 0
const channelOf = async (people: KnownCaller[], more: object = {}) => {
  channels += 1
  const name = `changes ${channels}`
  await room.call(addSubscriptions, people.includes(admin) ? admin : people[0]!, {
    subscriptions: [{ name }],
    principals: people.map((one) => one.user.id),
    ...more,
  })
  return (await room.deps.channels.byName(room.realm.id, name))!
}
const send = async (from: KnownCaller, to: string, topic = 'talk') =>
  (await room.call(sendMessage, from, { type: 'channel', to, topic, content: 'before' })).id
const edit = (by: KnownCaller, message_id: number, more: object) =>
  room.call(updateMessage, by, { message_id, ...more })
const remove = (by: KnownCaller, message_id: number) => room.call(deleteMessage, by, { message_id })
const at = async (reader: KnownCaller, message_id: number) =>
  (await room.call(getMessage, reader, { message_id, apply_markdown: false })).message
const age = (id: number, seconds: number) =>
  room.deps.database.sql`
    UPDATE messages SET sent_at = now() - make_interval(secs => ${seconds}) WHERE id = ${id}`

/** What was told since the last time, of one type; with whom. */
const told = async (type: string) =>
  (await room.announced())
    .filter((one) => one.value.type === type)
    .map(({ value, audience }) => ({ value, users: audience.users as number[], personal: audience.personal }))
const ids = (...people: KnownCaller[]) => people.map((one) => one.user.id).sort((a, b) => a - b)
const refusal = (message: string | RegExp) => ({
  error: 'BAD_REQUEST',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
})

describe('new content', () => {
  it('is told to those who have the message, with their flags, and kept with what it was', async () => {
    const channel = await channelOf([anna, ben, guest])
    const id = await send(anna, channel.name)
    await room.announced()
    await edit(anna, id, { content: 'after @**Person 3**' })
    const events = await told('update_message')
    expect(events.flatMap((one) => one.users).sort()).toEqual(ids(anna, ben, guest))
    const forBen = events.find((one) => one.users.includes(ben.user.id))!
    expect(forBen.value).toMatchObject({
      user_id: anna.user.id,
      rendering_only: false,
      message_id: id,
      message_ids: [id],
      flags: [],
      stream_id: channel.id,
      orig_content: 'before',
      orig_rendered_content: '<p>before</p>',
      rendered_content: expect.stringContaining('user-mention'),
      is_me_message: false,
    })
    expect(forBen.personal[ben.user.id]).toEqual({ flags: ['mentioned'] })
    expect(events.find((one) => one.users.includes(anna.user.id))!.value.flags).toEqual(['read'])
    const seen = await at(ben, id)
    expect(seen).toMatchObject({ flags: ['mentioned'], last_edit_timestamp: expect.any(Number) })
    expect(seen.edit_history).toEqual([
      {
        user_id: anna.user.id,
        timestamp: expect.any(Number),
        prev_content: 'before',
        prev_rendered_content: '<p>before</p>',
      },
    ])
    await edit(anna, id, { content: '' })
    expect(await at(ben, id)).toMatchObject({ content: '(deleted)', flags: [] })
    const history = () => room.call(getMessageHistory, ben, { message_id: id })
    const contents = (await history()).message_history.map((one) => one.content)
    expect(contents).toEqual(['before', 'after @**Person 3**', '(deleted)'])
    await room.settle({ message_edit_history_visibility_policy: 'none' })
    await expect(history()).rejects.toMatchObject(refusal(/edit history is disabled/))
    expect(await at(ben, id)).not.toHaveProperty('edit_history')
    await room.settle({ message_edit_history_visibility_policy: 'all' })
  })

  it('is for the author alone, in time, where the organization allows it, and on what the author saw', async () => {
    const channel = await channelOf([anna, ben, admin])
    const id = await send(anna, channel.name)
    const content = 'changed'
    for (const by of [ben, admin]) {
      await expect(edit(by, id, { content })).rejects.toMatchObject(refusal(/permission to edit/))
    }
    await expect(edit(guest, id, { content })).rejects.toMatchObject(refusal('Invalid message(s)'))
    await expect(edit(anna, 999_999, { content })).rejects.toMatchObject(refusal('Invalid message(s)'))
    const sha = (text: string) => createHash('sha256').update(text).digest('hex')
    const stale = edit(anna, id, { content, prev_content_sha256: sha('other') })
    await expect(stale).rejects.toMatchObject({ error: 'EXPECTATION_MISMATCH' })
    await room.settle({ allow_message_editing: false })
    await expect(edit(anna, id, { content })).rejects.toMatchObject(refusal(/turned off/))
    await room.settle({ allow_message_editing: true })
    await age(id, 700)
    await expect(edit(anna, id, { content })).rejects.toMatchObject(refusal(/time limit/))
    await room.settle({ message_content_edit_limit_seconds: null })
    await edit(anna, id, { content, prev_content_sha256: sha('before') })
    expect((await at(ben, id)).content).toBe('changed')
  })

  it('is refused together with what does not go with it', async () => {
    const channel = await channelOf([anna])
    const id = await send(anna, channel.name)
    for (const [wish, message] of [
      [{}, 'Nothing to change'],
      [{ topic: 'talk' }, 'Nothing to change'],
      [{ stream_id: channel.id }, 'Nothing to change'],
      [{ content: 'x', propagate_mode: 'change_all' }, 'Invalid propagate_mode without topic edit'],
      [{ content: 'x', stream_id: 1_000_000 }, 'Cannot change message content while changing channel'],
      [{ stream_id: 1_000_000 }, 'Invalid channel ID'],
    ] as const) {
      await expect(edit(anna, id, wish)).rejects.toMatchObject(refusal(message))
    }
  })

  it('of direct messages goes to their people; they have no topics', async () => {
    const { id } = await room.call(sendMessage, anna, { type: 'direct', to: [ben.user.id], content: 'hi' })
    await room.announced()
    await edit(anna, id, { content: 'hello' })
    expect((await told('update_message')).flatMap((one) => one.users).sort()).toEqual(ids(anna, ben))
    await expect(edit(anna, id, { topic: 'x' })).rejects.toMatchObject(refusal(/cannot have topics/))
    await expect(edit(admin, id, { content: 'x' })).rejects.toMatchObject(refusal('Invalid message(s)'))
  })
})

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
    await room.announced()
    await edit(anna, id, { stream_id: to.id })
    const rows = await told('update_message_flags')
    expect(rows.map(({ value, users }) => [value.op, value.flag, value.messages, users])).toEqual([
      ['add', 'read', [id], ids(stranger)],
    ])
    expect((await at(stranger, id)).flags).toContain('read')
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

describe('deleting', () => {
  it('is for administrators, and for authors in time; those who have the message are told', async () => {
    const channel = await channelOf([anna, ben, admin])
    const first = await send(anna, channel.name)
    const second = await send(anna, channel.name)
    await expect(remove(ben, first)).rejects.toMatchObject(refusal(/permission to delete/))
    await expect(remove(guest, first)).rejects.toMatchObject(refusal('Invalid message(s)'))
    await room.announced()
    await remove(anna, first)
    const [event] = await told('delete_message')
    expect(event!.value).toMatchObject({ message_ids: [first], stream_id: channel.id, topic: 'talk' })
    expect(event!.users).toEqual(ids(anna, ben, admin))
    await age(second, 700)
    await expect(remove(anna, second)).rejects.toMatchObject(refusal(/time limit/))
    await remove(admin, second)
    const bot = await room.person('member', { bot_type: 1, bot_owner_id: ben.user.id })
    const botsOwn = await send(bot, channel.name)
    await expect(remove(anna, botsOwn)).rejects.toMatchObject(refusal(/permission to delete/))
    await remove(ben, botsOwn)
    await expect(remove(ben, first)).rejects.toMatchObject(refusal('Invalid message(s)'))
    const toBen = { type: 'direct', to: [ben.user.id], content: 'x' }
    const { id: direct } = await room.call(sendMessage, anna, toBen)
    await expect(remove(admin, direct)).rejects.toMatchObject(refusal('Invalid message(s)'))
    await room.announced()
    await remove(anna, direct)
    expect((await told('delete_message'))[0]!).toMatchObject({
      users: ids(anna, ben),
      value: { message_type: 'private', message_ids: [direct] },
    })
  })

  it('is told to whoever deletes, and to those who found the message and starred it, while they may read it', async () => {
    const channel = await channelOf([anna])
    const [first, second] = [await send(anna, channel.name), await send(anna, channel.name)]
    const star = (who: KnownCaller, id: number) =>
      room.call(updateMessageFlags, who, { messages: [id], op: 'add', flag: 'starred' })
    await star(stranger, first)
    await star(ben, second)
    await room.announced()
    await remove(admin, first)
    const toldOf = async () => (await told('delete_message')).flatMap(({ users }) => users).sort()
    expect(await toldOf()).toEqual(ids(anna, admin, stranger))
    await room.call(updateChannel, admin, { stream_id: channel.id, is_private: true })
    await room.announced()
    await remove(anna, second)
    expect(await toldOf()).toEqual(ids(anna))
  })
})
