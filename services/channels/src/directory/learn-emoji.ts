import { learnEmoji as contract } from '@parley/contracts/channels/internals'
import { internal } from '../room.ts'
import { saveEmoji } from './emoji-store.ts'

export const learnEmoji = internal(contract, async ({ input, deps }) => {
  const { database } = deps
  await database.guard(saveEmoji(database.sql, input))
  deps.emoji.learn(input)
  return {}
})
