import { findEmoji as contract } from '@parley/contracts/uploads/internals'
import { internal } from '../room.ts'
import { emojiOfRealm } from './emoji-store.ts'

export const findEmoji = internal(contract, async ({ input: { realm_id }, deps }) => {
  const emoji = await emojiOfRealm(deps.database.sql, realm_id)
  return { emoji: emoji.map((one) => ({ ...one, realm_id })) }
})
