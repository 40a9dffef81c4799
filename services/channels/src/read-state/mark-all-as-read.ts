import { updateMessageFlagsAdd } from '@parley/contracts/channels/message-events'
import { markAllAsRead as contract } from '@parley/contracts/channels/message-flags'
import { personalHistory } from '../narrows/history.ts'
import { readerOf } from '../narrows/reader.ts'
import { endpoint } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { lockReadState, markConversationsRead } from './read-store.ts'

export const markAllAsRead = endpoint(contract, async ({ caller, deps, transaction }) => {
  const { person } = await readerOf(deps, caller)
  return transaction(async (tx) => {
    await lockReadState(tx.sql, caller.realm.id, person.id)
    // The event says that all is read: a message comes either before both, or after both; a conversation as well.
    await lockRealmOrder(tx.sql, caller.realm.id)
    const history = await personalHistory(tx.sql, person)
    await markConversationsRead(
      tx.sql,
      person.id,
      history.map((stretch) => stretch.recipient_id),
    )
    tx.emit(
      updateMessageFlagsAdd,
      { realm: caller.realm.id, users: [person.id] },
      { operation: 'add', flag: 'read', messages: [], all: true },
    )
    return { complete: true }
  })
})
