import { reactionRemove } from '@parley/contracts/channels/reaction-events'
import { removeReaction as contract } from '@parley/contracts/channels/reactions'
import { endpoint } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { emojiFor } from './emoji-for.ts'
import { ownReaction } from './emoji-rules.ts'
import { holdMessage, toldOf } from './held-message.ts'
import { deleteReaction, reactionsTo } from './reaction-store.ts'

export const removeReaction = endpoint(contract, async ({ params, caller, deps, refuse, transaction }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const own = await emojiFor(deps, realm.id, params)
  return transaction(async (tx) => {
    const message = await holdMessage(deps, tx.sql, caller, params.message_id)
    const present = await reactionsTo(tx.sql, message.id)
    const emoji = ownReaction(
      params,
      present.filter((one) => one.user_id === caller.user.id),
      own,
    )
    if (emoji === undefined) throw refuse('REACTION_DOES_NOT_EXIST', "Reaction doesn't exist.")
    await deleteReaction(tx.sql, message.id, caller.user.id, emoji)
    const { emoji_name, emoji_code, reaction_type } = emoji
    const users = await toldOf(tx.sql, realm, message)
    await lockRealmOrder(tx.sql, realm.id)
    tx.emit(
      reactionRemove,
      { realm: realm.id, users },
      { emoji_name, emoji_code, reaction_type, user_id: caller.user.id, message_id: message.id },
    )
    return {}
  })
})
