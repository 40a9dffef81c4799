import { consumeEverywhere } from '@parley/bus'
import { emojiTopic } from '@parley/contracts/uploads/topics'
import type { Running } from '@parley/kit'
import type { Deps } from '../room.ts'

/** Follows the custom emoji of all organizations, into the memory of every process. */
export const onEmojiChanged = ({ bus, emoji }: Pick<Deps, 'bus' | 'emoji'>): Promise<Running> =>
  consumeEverywhere({
    bus,
    name: 'presence.emoji',
    topic: emojiTopic,
    from: 'beginning',
    handle: (_key, value) => {
      if (value !== null) emoji.learn(value)
    },
  })
