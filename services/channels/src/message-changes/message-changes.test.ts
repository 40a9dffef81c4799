import { createHash } from 'node:crypto'
import { type KnownCaller, limits } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { updateChannel } from '../channels/update-channel.ts'
import { sendMessage } from '../messages/send-message.ts'
import { updateMessageFlags } from '../read-state/update-message-flags.ts'
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
  remove,
  room,
  send,
  stranger,
  told,
} from './changing-room.ts'
import { getMessageHistory } from './get-message-history.ts'

describe('new content', () => {
  it('of a message that is edited all the time leaves what it was at first, and what it was lately', async () => {
    const channel = await channelOf([anna, ben])
    const id = await send(anna, channel.name)
    await edit(anna, id, { topic: 'board' })
    const edits = 130
    for (let n = 1; n <= edits; n += 1) await edit(anna, id, { content: `${n} ${'x'.repeat(9500)}` })
    const numberOf = (content: string) => Number(content.split(' ')[0])

    const { message_history } = await room.call(getMessageHistory, ben, { message_id: id })
    expect(message_history.slice(0, 2)).toMatchObject([
      { topic: 'talk', content: 'before' },
      { topic: 'board', content: 'before', prev_topic: 'talk' },
    ])
    const later = message_history.slice(2).map(({ content }) => content)
    expect(later.map(numberOf)).toEqual(later.map((_, place) => edits - later.length + 1 + place))
    expect(later.length).toBeGreaterThan(40)
    expect(later.length).toBeLessThan(edits)

    const shown = (await at(ben, id)).edit_history!
    expect(shown.map(({ prev_content }) => numberOf(prev_content!))).toEqual(
      shown.map((_, place) => edits - 1 - place),
    )
    expect(JSON.stringify(shown).length).toBeLessThanOrEqual(limits.maxListedEditHistoryKib * 1024)
    expect(shown.length).toBeGreaterThan(2)
  })

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
