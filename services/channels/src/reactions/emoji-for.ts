import type { EmojiDirectory, RealmEmojis } from '../directory/emoji-directory.ts'
import { mayBeNew } from './emoji-rules.ts'

/** The organization's own emoji; asked for again where one is named that is not known, since it may be very new. */
export const emojiFor = async (
  { emoji }: { readonly emoji: EmojiDirectory },
  realmId: number,
  wish: Parameters<typeof mayBeNew>[0],
): Promise<RealmEmojis> => {
  const own = await emoji.of(realmId)
  return mayBeNew(wish, own) ? emoji.fresh(realmId) : own
}
