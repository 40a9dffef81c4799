/** Which emoji a reaction means; no I/O. */
import { refuse } from '@parley/contracts'
import type { Reaction } from '@parley/contracts/objects/message'
import { emojiByName, namesByCode } from '@parley/markdown'
import type { z } from 'zod'
import type { RealmEmojis } from '../directory/emoji-directory.ts'

export type Emoji = Pick<z.infer<typeof Reaction>, 'emoji_name' | 'emoji_code' | 'reaction_type'>

interface Named {
  readonly emoji_name?: string | undefined
  readonly emoji_code?: string | undefined
  readonly reaction_type?: Emoji['reaction_type'] | undefined
}

/** The one emoji that is neither Unicode nor an organization's own. */
const extraEmoji = 'zulip'

const unknown = (name: string) => refuse('BAD_REQUEST', `Emoji '${name}' does not exist`)

/** The emoji of a name: an organization's own come first. */
const named = (name: string, own: RealmEmojis): Emoji | undefined => {
  const custom = own.activeByName.get(name)
  if (custom !== undefined) return { emoji_name: name, emoji_code: custom.id, reaction_type: 'realm_emoji' }
  if (name === extraEmoji) {
    return { emoji_name: name, emoji_code: name, reaction_type: 'zulip_extra_emoji' }
  }
  const code = emojiByName(name)
  return code === undefined
    ? undefined
    : { emoji_name: name, emoji_code: code, reaction_type: 'unicode_emoji' }
}

/** Whether what is meant may be an emoji of the organization that is not known here yet. */
export const mayBeNew = ({ emoji_name, emoji_code, reaction_type }: Named, own: RealmEmojis): boolean =>
  reaction_type === 'realm_emoji' && emoji_code !== undefined
    ? !own.byId.has(emoji_code)
    : emoji_name !== undefined && named(emoji_name, own) === undefined

/** @throws ApiError BAD_REQUEST for a name that no emoji has. */
const byName = (name: string, own: RealmEmojis): Emoji => {
  const emoji = named(name, own)
  if (emoji === undefined) throw unknown(name)
  return emoji
}

/**
 * Which emoji is meant: what is not given follows from the name. `present` are the reactions that the message has: with
 * one of them anybody may agree, under the name that it has there. `own` are the organization's.
 *
 * @throws ApiError BAD_REQUEST for what does not exist, and for a code that has another name.
 */
export const meantEmoji = (
  wish: Named & { emoji_name: string },
  present: readonly Emoji[],
  own: RealmEmojis,
): Emoji => {
  const { emoji_name } = wish
  const type = wish.reaction_type ?? byName(emoji_name, own).reaction_type
  const code = wish.emoji_code ?? byName(emoji_name, own).emoji_code
  const there = present.find((one) => one.emoji_code === code && one.reaction_type === type)
  if (there !== undefined) return there
  const emoji = { emoji_name, emoji_code: code, reaction_type: type }
  switch (type) {
    case 'unicode_emoji': {
      const names = namesByCode.get(code)
      if (names === undefined) throw refuse('BAD_REQUEST', 'Invalid emoji code.')
      if (!names.includes(emoji_name)) throw refuse('BAD_REQUEST', 'Invalid emoji name.')
      return emoji
    }
    case 'zulip_extra_emoji':
      if (code !== extraEmoji) throw refuse('BAD_REQUEST', 'Invalid emoji code.')
      if (emoji_name !== extraEmoji) throw refuse('BAD_REQUEST', 'Invalid emoji name.')
      return emoji
    case 'realm_emoji': {
      const custom = own.byId.get(code)
      if (custom === undefined) throw refuse('BAD_REQUEST', 'Invalid custom emoji.')
      if (custom.name !== emoji_name) throw refuse('BAD_REQUEST', 'Invalid custom emoji name.')
      if (custom.deactivated) throw refuse('BAD_REQUEST', 'This custom emoji has been deactivated.')
      return emoji
    }
  }
}

/**
 * Which of somebody's reactions is taken back.
 *
 * @throws ApiError BAD_REQUEST when neither name nor code says.
 */
export const ownReaction = (
  wish: Named,
  reactions: readonly Emoji[],
  own: RealmEmojis,
): Emoji | undefined => {
  const { emoji_name, emoji_code, reaction_type } = wish
  if (emoji_name === undefined && emoji_code === undefined) {
    throw refuse(
      'BAD_REQUEST',
      'At least one of the following arguments must be present: emoji_name, emoji_code',
    )
  }
  if (emoji_code !== undefined) {
    const type = reaction_type ?? 'unicode_emoji'
    return reactions.find((one) => one.emoji_code === emoji_code && one.reaction_type === type)
  }
  const exact = reactions.find((one) => one.emoji_name === emoji_name)
  if (exact !== undefined) return exact
  const meant = byName(emoji_name!, own)
  return reactions.find(
    (one) => one.emoji_code === meant.emoji_code && one.reaction_type === meant.reaction_type,
  )
}
