import { deactivateRealmEmoji as contract } from '@parley/contracts/uploads/emoji'
import { endpoint } from '../room.ts'
import { announceEmoji, tellEmoji } from './announce-emoji.ts'
import { demandEmojiAuthor } from './emoji-rules.ts'
import { holdActiveEmoji, storeDeactivation } from './emoji-store.ts'
import { mayAddEmoji } from './may-add-emoji.ts'

export const deactivateRealmEmoji = endpoint(
  contract,
  async ({ caller, params, deps, transaction, refuse }) => {
    const realmId = caller.realm.id
    const mayAdd = await mayAddEmoji(deps.ask, realmId, caller.user.id)
    const gone = await transaction(async (tx) => {
      const found = await holdActiveEmoji(tx.sql, realmId, params.emoji_name)
      if (found === undefined) {
        throw refuse('RESOURCE_NOT_FOUND', `Emoji '${params.emoji_name}' does not exist`)
      }
      demandEmojiAuthor(caller.user, found.author_id, mayAdd)
      const emoji = await storeDeactivation(tx.sql, found.id)
      await announceEmoji(tx, realmId, emoji, { emoji_id: emoji.id, data: { deactivated: true } })
      return emoji
    })
    await tellEmoji(deps, realmId, gone)
    return {}
  },
)
