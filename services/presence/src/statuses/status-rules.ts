/** What a status may be; no I/O. */
import { limits, refuse } from '@parley/contracts'
import { ReactionType, type UserStatus } from '@parley/contracts/objects/user-status'
import { codePoints } from '@parley/contracts/objects/values'
import { emojiByName, namesByCode } from '@parley/markdown'
import type { CustomEmoji } from '../emoji/emoji-directory.ts'
import type { CustomEmojiMeant } from './custom-emoji.ts'
import type { StatusChanges, StatusRow } from './status-store.ts'

/** A change as clients send it; what is absent stays as it is, what is empty is cleared. */
export interface SentStatus {
  readonly away?: boolean | undefined
  readonly status_text?: string | undefined
  readonly emoji_name?: string | undefined
  readonly emoji_code?: string | undefined
  readonly reaction_type?: string | undefined
}

interface Emoji {
  readonly emoji_name: string
  readonly emoji_code: string
  readonly reaction_type: ReactionType | ''
}

/** What announcements and the store are given: the checked parts of a change. */
export type StatusChange = StatusChanges & { readonly reaction_type?: ReactionType | '' | undefined }

const clearedEmoji: Emoji = { emoji_name: '', emoji_code: '', reaction_type: '' }
export const extraEmoji = 'zulip'

/**
 * `custom`: what the organization's own emoji say to the change.
 *
 * @throws ApiError BAD_REQUEST when nothing is to change, or something may not be so.
 */
export const statusChange = (sent: SentStatus, custom: CustomEmojiMeant = {}): StatusChange => {
  if (sent.away === undefined && sent.status_text === undefined && sent.emoji_name === undefined) {
    if (sent.emoji_code || sent.reaction_type) {
      throw refuse(
        'BAD_REQUEST',
        'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
      )
    }
    throw refuse('BAD_REQUEST', 'Client did not pass any new values.')
  }
  return {
    ...(sent.away === undefined ? {} : { away: sent.away }),
    ...(sent.status_text === undefined ? {} : { status_text: statusText(sent.status_text) }),
    ...emojiChange(sent, custom),
  }
}

const statusText = (sent: string): string => {
  const text = sent.toWellFormed().trim()
  if (codePoints(text) > limits.maxStatusTextLength) {
    throw refuse('BAD_REQUEST', `status_text is too long (limit: ${limits.maxStatusTextLength} characters)`)
  }
  return text
}

const emojiChange = (
  { emoji_name, emoji_code, reaction_type }: SentStatus,
  custom: CustomEmojiMeant,
): Emoji | undefined => {
  if (emoji_name === undefined) {
    if (!emoji_code && !reaction_type) return undefined
    throw refuse(
      'BAD_REQUEST',
      'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    )
  }
  if (emoji_name === '') return clearedEmoji
  const known = emojiNamed(emoji_name, custom)
  if (known === undefined && (!emoji_code || !reaction_type)) {
    throw refuse('BAD_REQUEST', `Emoji '${emoji_name}' does not exist`)
  }
  const type = ReactionType.safeParse(reaction_type || known?.reaction_type)
  if (!type.success) throw refuse('BAD_REQUEST', 'Invalid emoji type.')
  const emoji = { emoji_name, emoji_code: emoji_code || known!.emoji_code, reaction_type: type.data }
  // What was looked up by its name alone is of that name, and active.
  const own = custom.byCode ?? (custom.byName?.id === emoji.emoji_code ? custom.byName : undefined)
  const finding = emojiFinding(emoji, own)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  return emoji
}

/** An organization's own emoji goes before a common one of the same name. */
const emojiNamed = (name: string, { byName }: CustomEmojiMeant): Emoji | undefined => {
  if (byName !== undefined) {
    return { emoji_name: name, emoji_code: byName.id, reaction_type: 'realm_emoji' }
  }
  if (name === extraEmoji) {
    return { emoji_name: name, emoji_code: extraEmoji, reaction_type: 'zulip_extra_emoji' }
  }
  const code = emojiByName(name)
  return code === undefined
    ? undefined
    : { emoji_name: name, emoji_code: code, reaction_type: 'unicode_emoji' }
}

/** What is wrong with an emoji that is fully named; undefined when nothing is. */
const emojiFinding = (
  { emoji_name, emoji_code, reaction_type }: Emoji,
  own: CustomEmoji | undefined,
): string | undefined => {
  switch (reaction_type) {
    case 'unicode_emoji':
      if (!namesByCode.has(emoji_code)) return 'Invalid emoji code.'
      return emojiByName(emoji_name) === emoji_code ? undefined : 'Invalid emoji name.'
    case 'zulip_extra_emoji':
      if (emoji_code !== extraEmoji) return 'Invalid emoji code.'
      return emoji_name === emoji_code ? undefined : 'Invalid emoji name.'
    default:
      if (own === undefined) return 'Invalid custom emoji.'
      if (own.name !== emoji_name) return 'Invalid custom emoji name.'
      return own.deactivated ? 'This custom emoji has been deactivated.' : undefined
  }
}

/** A status as clients read it: "unset keys are absent" (facts, section 1). */
export const shownStatus = (row: Omit<StatusRow, 'user_id'> | undefined): UserStatus => {
  if (row === undefined) return {}
  const { away, status_text, emoji_name, emoji_code, reaction_type } = row
  return {
    ...(away ? { away } : {}),
    ...(status_text === '' ? {} : { status_text }),
    ...(emoji_name === ''
      ? {}
      : { emoji_name, emoji_code, reaction_type: reaction_type as UserStatus['reaction_type'] }),
  }
}
