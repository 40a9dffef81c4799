import { submessageEvent } from '@parley/contracts/channels/reaction-events'
import { addSubmessage as contract } from '@parley/contracts/channels/submessages'
import { holdMessage, toldOf } from '../reactions/held-message.ts'
import { endpoint } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { takePart } from '../user-topics/take-part.ts'
import { insertSubmessage, widgetOf } from './submessage-store.ts'
import { demandUse } from './widget-rules.ts'

export const addSubmessage = endpoint(contract, async ({ params, caller, deps, transaction }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const { msg_type, content } = params
  return transaction(async (tx) => {
    const message = await holdMessage(deps, tx.sql, caller, params.message_id)
    const widget = await widgetOf(tx.sql, message.id)
    demandUse(widget, { msg_type, content, isOwner: message.sender_id === caller.user.id })
    const given = { messageId: message.id, senderId: caller.user.id, msgType: msg_type, content }
    const submessage_id = await insertSubmessage(tx.sql, given)
    const users = await toldOf(tx.sql, realm, message)
    await lockRealmOrder(tx.sql, realm.id)
    await takePart(deps, tx, caller, message)
    tx.emit(
      submessageEvent,
      { realm: realm.id, users },
      { msg_type, content, message_id: message.id, sender_id: caller.user.id, submessage_id },
    )
    return {}
  })
})
