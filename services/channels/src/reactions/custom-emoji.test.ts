import type { KnownCaller } from '@parley/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { emojiDirectory } from '../directory/emoji-directory.ts'
import { saveEmoji } from '../directory/emoji-store.ts'
import { getMessage } from '../messages/get-message.ts'
import { sendMessage } from '../messages/send-message.ts'
import type { Deps } from '../room.ts'
import { renderMessageText } from '../submessages/render-message-text.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { addReaction } from './add-reaction.ts'
import { removeReaction } from './remove-reaction.ts'

let room: TestRoom
let anna: KnownCaller
let ben: KnownCaller
let id: number
beforeAll(async () => {
  room = await openTestRoom()
  anna = await room.person()
  ben = await room.person()
  id = (await room.call(sendMessage, anna, { type: 'direct', to: [ben.user.id], content: 'nice' })).id
})
afterAll(() => room.close())

const fact = (emojiId: string, name: string, deactivated = false, realm_id = room.realm.id) => ({
  ...{ id: emojiId, realm_id, name, deactivated, still_url: null, author_id: null },
  source_url: `/user_avatars/${realm_id}/emoji/images/${emojiId}.png`,
})
/** As uploads tells. */
const told = async (...facts: ReturnType<typeof fact>[]) => {
  for (const one of facts) {
    await saveEmoji(room.deps.database.sql, one)
    room.deps.emoji.learn(one)
  }
}
const react = (by: KnownCaller, more: object, deps = room.deps) =>
  room.call(addReaction, by, { message_id: id, ...more }, deps)
const takeBack = (by: KnownCaller, more: object) => room.call(removeReaction, by, { message_id: id, ...more })
const shown = async () => (await room.call(getMessage, ben, { message_id: id })).message.reactions
const render = async (content: string, deps = room.deps) =>
  (await room.call(renderMessageText, anna, { content }, deps)).rendered

it("an organization's own emoji come before others of the name, in texts and reactions", async () => {
  await told(fact('1', 'party'), fact('2', 'smile'), fact('3', 'party', false, 8))
  expect(await render(':party:')).toBe(
    '<p><img alt=":party:" class="emoji" src="/user_avatars/7/emoji/images/1.png" title="party"></p>',
  )
  expect(await render(':smile: :+1:')).toContain('/images/2.png')
  await react(ben, { emoji_name: 'party' })
  await react(anna, { emoji_name: 'party', emoji_code: '1', reaction_type: 'realm_emoji' })
  await react(anna, { emoji_name: 'smile' })
  await react(anna, { emoji_name: 'smile', emoji_code: '1f642', reaction_type: 'unicode_emoji' })
  await react(anna, { emoji_name: 'zulip' })
  const party = { emoji_name: 'party', emoji_code: '1', reaction_type: 'realm_emoji' }
  expect(await shown()).toEqual([
    { ...party, user_id: ben.user.id },
    { ...party, user_id: anna.user.id },
    { emoji_name: 'smile', emoji_code: '2', reaction_type: 'realm_emoji', user_id: anna.user.id },
    { emoji_name: 'smile', emoji_code: '1f642', reaction_type: 'unicode_emoji', user_id: anna.user.id },
    { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji', user_id: anna.user.id },
  ])
  await expect(react(ben, { emoji_name: 'party' })).rejects.toMatchObject({
    error: 'REACTION_ALREADY_EXISTS',
  })
})

it('are refused under another name or code, deactivated, and those of others', async () => {
  await told(fact('4', 'gone', true), fact('5', 'other'))
  const custom = (emoji_name: string, emoji_code: string) =>
    react(ben, { emoji_name, emoji_code, reaction_type: 'realm_emoji' })
  const refused = (message: string) => ({ error: 'BAD_REQUEST', message })
  // What is there already is agreed to, whatever it is called.
  await takeBack(ben, { emoji_name: 'party' })
  await custom('smile', '1')
  await takeBack(ben, { emoji_code: '1', reaction_type: 'realm_emoji' })
  await expect(custom('party', '5')).rejects.toMatchObject(refused('Invalid custom emoji name.'))
  await expect(custom('gone', '4')).rejects.toMatchObject(refused('This custom emoji has been deactivated.'))
  await expect(custom('party', '3')).rejects.toMatchObject(refused('Invalid custom emoji.'))
  await expect(custom('party', '99')).rejects.toMatchObject(refused('Invalid custom emoji.'))
  await expect(react(ben, { emoji_name: 'gone' })).rejects.toMatchObject(
    refused("Emoji 'gone' does not exist"),
  )
  const extra = { emoji_name: 'tada', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }
  await takeBack(anna, { emoji_name: 'zulip' })
  await expect(react(ben, extra)).rejects.toMatchObject(refused('Invalid emoji name.'))
  await expect(react(ben, { ...extra, emoji_code: 'x' })).rejects.toMatchObject(
    refused('Invalid emoji code.'),
  )
  expect(await render(':gone:')).toBe('<p>:gone:</p>')
})

it('may still be agreed to and taken back once deactivated, but not begun; and a deactivation is for good', async () => {
  await told(fact('2', 'smile', true), fact('2', 'smile'))
  await react(ben, { emoji_name: 'smile', emoji_code: '2', reaction_type: 'realm_emoji' })
  await takeBack(anna, { emoji_name: 'smile', emoji_code: '2', reaction_type: 'realm_emoji' })
  await takeBack(ben, { emoji_code: '2', reaction_type: 'realm_emoji' })
  await expect(
    react(ben, { emoji_name: 'smile', emoji_code: '2', reaction_type: 'realm_emoji' }),
  ).rejects.toMatchObject({ message: 'This custom emoji has been deactivated.' })
  expect(await render(':smile:')).toContain('emoji-1f642')
})

it('that are newer than what is known here are asked for', async () => {
  let asked = 0
  const ask = (async () => {
    asked += 1
    return { emoji: [fact('7', 'newest')] }
  }) as unknown as Deps['ask']
  const deps: Deps = Object.create(room.deps, { emoji: { value: emojiDirectory(room.deps.database, ask) } })
  await react(ben, { emoji_name: 'party' }, deps)
  expect(asked).toBe(0)
  await react(ben, { emoji_name: 'newest' }, deps)
  await expect(
    react(ben, { emoji_name: 'newest', emoji_code: '8', reaction_type: 'realm_emoji' }, deps),
  ).rejects.toMatchObject({ message: 'Invalid custom emoji.' })
  expect(asked).toBe(2)
  expect(await render(':newest:', deps)).toContain('/images/7.png')
})
