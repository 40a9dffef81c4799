/** Which emoji a reaction means; no I/O. */
import { refuse } from '@parley/contracts'
import type { Reaction } from '@parley/contracts/objects/message'
import { emojiByName, namesByCode } from '@parley/markdown'
import type { z } from 'zod'

export type Emoji = Pick<z.infer<typeof Reaction>, 'emoji_name' | 'emoji_code' | 'reaction_type'>

interface Named {
  readonly emoji_name?: string | undefined
  readonly emoji_code?: string | undefined
  readonly reaction_type?: Emoji['reaction_type'] | undefined
}

/** The one emoji that is neither Unicode nor an organization's own. */
const extraEmoji = 'zulip'

const unknown = (name: string) => refuse('BAD_REQUEST', `Emoji '${name}' does not exist`)

/** @throws ApiError BAD_REQUEST for a name that no emoji has. Organizations have no emoji of their own yet. */
const byName = (name: string): Emoji => {
  if (name === extraEmoji) {
    return { emoji_name: name, emoji_code: name, reaction_type: 'zulip_extra_emoji' }
  }
  const code = emojiByName(name)
  if (code === undefined) throw unknown(name)
  return { emoji_name: name, emoji_code: code, reaction_type: 'unicode_emoji' }
}

/**
 * Which emoji is meant by a name, or by code and type. `present` are the reactions that the message has: with one of them
 * anybody may agree, under the name that it has there.
 *
 * @throws ApiError BAD_REQUEST for what does not exist, and for a code that has another name.
 */
export const meantEmoji = (named: Named & { emoji_name: string }, present: readonly Emoji[]): Emoji => {
  const { emoji_name, emoji_code, reaction_type } = named
  if (emoji_code === undefined) {
    const emoji = byName(emoji_name)
    if (reaction_type !== undefined && reaction_type !== emoji.reaction_type) throw unknown(emoji_name)
    return emoji
  }
  const type = reaction_type ?? 'unicode_emoji'
  const there = present.find((one) => one.emoji_code === emoji_code && one.reaction_type === type)
  if (there !== undefined) return there
  switch (type) {
    case 'unicode_emoji': {
      const names = namesByCode.get(emoji_code)
      if (names === undefined) throw refuse('BAD_REQUEST', 'Invalid emoji code.')
      if (!names.includes(emoji_name)) throw refuse('BAD_REQUEST', 'Invalid emoji name.')
      return { emoji_name, emoji_code, reaction_type: type }
    }
    case 'zulip_extra_emoji':
      if (emoji_code !== extraEmoji) throw refuse('BAD_REQUEST', 'Invalid emoji code.')
      if (emoji_name !== extraEmoji) throw refuse('BAD_REQUEST', 'Invalid emoji name.')
      return { emoji_name, emoji_code, reaction_type: type }
    case 'realm_emoji':
      throw refuse('BAD_REQUEST', 'Invalid custom emoji.')
  }
}

/**
 * Which of one's own reactions is taken back.
 *
 * @throws ApiError BAD_REQUEST when neither name nor code says.
 */
export const ownReaction = (named: Named, own: readonly Emoji[]): Emoji | undefined => {
  const { emoji_name, emoji_code, reaction_type } = named
  if (emoji_name === undefined && emoji_code === undefined) {
    throw refuse(
      'BAD_REQUEST',
      'At least one of the following arguments must be present: emoji_name, emoji_code',
    )
  }
  if (emoji_code !== undefined) {
    const type = reaction_type ?? 'unicode_emoji'
    return own.find((one) => one.emoji_code === emoji_code && one.reaction_type === type)
  }
  const exact = own.find((one) => one.emoji_name === emoji_name)
  return exact ?? own.find((one) => one.emoji_code === byName(emoji_name!).emoji_code)
}
