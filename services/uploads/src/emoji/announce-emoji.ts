import type { EventData } from '@parley/contracts'
import { learnEmoji } from '@parley/contracts/channels/internals'
import type { RealmEmoji } from '@parley/contracts/objects/realm-emoji'
import type { realmEmojiChanged as Changed } from '@parley/contracts/uploads/emoji-events'
import { realmEmojiChanged } from '@parley/contracts/uploads/emoji-events'
import { emojiTopic } from '@parley/contracts/uploads/topics'
import type { Tx } from '@parley/kit'
import type { Deps } from '../room.ts'
import { byId, emojiOfRealm, lockEmoji } from './emoji-store.ts'

/** Tells clients and services of an emoji that was added or changed. */
export const announceEmoji = async (
  tx: Tx<typeof Changed>,
  realmId: number,
  emoji: RealmEmoji,
  change: EventData<typeof Changed>['change'],
): Promise<void> => {
  await lockEmoji(tx.sql, realmId)
  const realm_emoji = byId(await emojiOfRealm(tx.sql, realmId))
  tx.publish(emojiTopic, emoji.id, { ...emoji, realm_id: realmId })
  tx.emit(realmEmojiChanged, { realm: realmId, everyone: true }, { realm_emoji, change })
}

/**
 * Lets the next message use the emoji, or not. Its news does the same soon, so where channels does not answer nothing is
 * lost. To be called when the change is durable.
 */
export const tellEmoji = async (
  { ask, log }: Pick<Deps, 'ask' | 'log'>,
  realm_id: number,
  emoji: RealmEmoji,
): Promise<void> => {
  try {
    await ask(learnEmoji, { ...emoji, realm_id })
  } catch (error) {
    log.warn({ err: error, emoji: emoji.id }, 'channels learns of an emoji by its news')
  }
}
