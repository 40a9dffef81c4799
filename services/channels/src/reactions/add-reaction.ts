import { reactionAdd } from '@parley/contracts/channels/reaction-events'
import { addReaction as contract } from '@parley/contracts/channels/reactions'
import { endpoint } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { takePart } from '../user-topics/take-part.ts'
import { emojiFor } from './emoji-for.ts'
import { meantEmoji } from './emoji-rules.ts'
import { holdMessage, toldOf } from './held-message.ts'
import { insertReaction, reactionsTo } from './reaction-store.ts'

export const addReaction = endpoint(contract, async ({ params, caller, deps, refuse, transaction }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const own = await emojiFor(deps, realm.id, params)
  return transaction(async (tx) => {
    const message = await holdMessage(deps, tx.sql, caller, params.message_id)
    const emoji = meantEmoji(params, await reactionsTo(tx.sql, message.id), own)
    const { emoji_name, emoji_code, reaction_type } = emoji
    if (!(await insertReaction(tx.sql, message.id, caller.user.id, emoji))) {
      throw refuse('REACTION_ALREADY_EXISTS', 'Reaction already exists.')
    }
    const users = await toldOf(tx.sql, realm, message)
    await lockRealmOrder(tx.sql, realm.id)
    await takePart(deps, tx, caller, message)
    tx.emit(
      reactionAdd,
      { realm: realm.id, users },
      { emoji_name, emoji_code, reaction_type, user_id: caller.user.id, message_id: message.id },
    )
    return {}
  })
})
