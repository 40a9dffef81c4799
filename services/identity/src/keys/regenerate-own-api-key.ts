import { regenerateOwnApiKey as contract } from '@parley/contracts/identity/user-administration'
import { endPushRegistrations } from '../devices/push-announcements.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { activeCaller } from '../users/acting-user.ts'
import { replaceKey } from './replace-key.ts'

export const regenerateOwnApiKey = endpoint(contract, ({ caller, deps, transaction }) =>
  transaction(async (tx) => {
    await lockAccounts(tx.sql, caller.realm.id)
    const user = await activeCaller(tx.sql, caller)
    await endPushRegistrations(tx, caller)
    return { api_key: await replaceKey(tx, deps.keys, user) }
  }),
)
