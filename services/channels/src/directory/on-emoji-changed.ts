import { type Bus, consumeEverywhere, consumeIntoDatabase } from '@parley/bus'
import { emojiTopic } from '@parley/contracts/uploads/topics'
import type { Database } from '@parley/db'
import type { Running } from '@parley/kit'
import type { EmojiDirectory } from './emoji-directory.ts'
import { saveEmoji } from './emoji-store.ts'

/** Follows the custom emoji: once into the database, and into the memory of every process. */
export const onEmojiChanged = async (deps: {
  bus: Bus
  database: Database
  emoji: EmojiDirectory
}): Promise<Running[]> => [
  await consumeIntoDatabase({
    bus: deps.bus,
    database: deps.database,
    name: 'channels.emoji',
    topic: emojiTopic,
    handle: async (tx, { value }) => {
      if (value === null) return
      await saveEmoji(tx.sql, value)
      // News from before this process was there goes through here alone.
      tx.afterCommit(() => deps.emoji.learn(value))
    },
  }),
  await consumeEverywhere({
    bus: deps.bus,
    name: 'channels.emoji',
    topic: emojiTopic,
    from: 'now',
    handle: (_key, value) => {
      if (value !== null) deps.emoji.learn(value)
    },
  }),
]
