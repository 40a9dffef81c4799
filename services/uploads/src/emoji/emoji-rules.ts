import { type CallerUser, isAtLeast, refuse } from '@parley/contracts'
import { emojiByName } from '@parley/markdown'

/** Pixels per side of a stored emoji; smaller ones are made larger. */
export const emojiPixels = 64

/** What an emoji is called, as it is stored. */
export const emojiKey = (name: string): string => name.trim().replaceAll(' ', '_')

/** @throws ApiError BAD_REQUEST for a name that an emoji cannot have, or that is not this account's to give. */
export const demandEmojiName = (name: string, user: CallerUser): void => {
  if (name === '') throw refuse('BAD_REQUEST', 'Emoji name is missing')
  if (!/^[0-9a-z_-]{1,100}$/.test(name)) throw refuse('BAD_REQUEST', 'Invalid characters in emoji name')
  if (/[-_]$/.test(name)) throw refuse('BAD_REQUEST', 'Emoji names must end with either a letter or digit.')
  const isBuiltIn = name === 'zulip' || emojiByName(name) !== undefined
  if (isBuiltIn && !isAtLeast(user, 'administrator')) {
    throw refuse('BAD_REQUEST', 'Only administrators can override default emoji.')
  }
}

/** @throws ApiError BAD_REQUEST unless an account may deactivate an emoji. */
export const demandEmojiAuthor = (user: CallerUser, authorId: number, mayAdd: boolean): void => {
  if (isAtLeast(user, 'administrator')) return
  if (!mayAdd || authorId !== user.id) {
    throw refuse('BAD_REQUEST', 'Must be an organization administrator or emoji author')
  }
}
