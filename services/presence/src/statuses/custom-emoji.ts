import { emojiByName } from '@parley/markdown'
import type { CustomEmoji, EmojiDirectory } from '../emoji/emoji-directory.ts'
import { extraEmoji, type SentStatus } from './status-rules.ts'

/** The organization's own emoji that somebody may mean. */
export interface CustomEmojiMeant {
  /** The active one of the name that was sent. */
  readonly byName?: CustomEmoji | undefined
  /** The one of the code that was sent, when it was said to be one's own. */
  readonly byCode?: CustomEmoji | undefined
}

/** Looks up what a change of status may mean. A name that all organizations know is not asked of anybody. */
export const customEmojiMeant = async (
  emoji: Pick<EmojiDirectory, 'byName' | 'byId'>,
  realmId: number,
  { emoji_name, emoji_code, reaction_type }: SentStatus,
): Promise<CustomEmojiMeant> => {
  if (!emoji_name) return {}
  const isNamedWholly = Boolean(emoji_code) && Boolean(reaction_type)
  const isCommon = emoji_name === extraEmoji || emojiByName(emoji_name) !== undefined
  return {
    byName: isNamedWholly ? undefined : await emoji.byName(realmId, emoji_name, !isCommon),
    byCode: emoji_code && reaction_type === 'realm_emoji' ? await emoji.byId(realmId, emoji_code) : undefined,
  }
}
