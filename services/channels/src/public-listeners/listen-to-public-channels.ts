import { listenToPublicChannels as contract } from '@parley/contracts/channels/internals'
import { internal } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { storeListeners } from './listener-store.ts'

export const listenToPublicChannels = internal(contract, async ({ input, transaction }) => {
  const realms = [...new Set(input.listeners.map(({ realm_id }) => realm_id))].sort((a, b) => a - b)
  for (const realm of realms) {
    const users = input.listeners.filter(({ realm_id }) => realm_id === realm).map(({ user_id }) => user_id)
    await transaction(async (tx) => {
      // Messages that commit before this do not know of the listeners, all others do.
      await lockRealmOrder(tx.sql, realm)
      await storeListeners(tx.sql, realm, users)
    })
  }
  return {}
})
