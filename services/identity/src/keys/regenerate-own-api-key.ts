import { regenerateOwnApiKey as contract } from '@parley/contracts/identity/user-administration'
import { endPushRegistrations } from '../devices/push-announcements.ts'
import { endpoint } from '../room.ts'
import { userById } from '../users/user-store.ts'
import { replaceKey } from './replace-key.ts'

export const regenerateOwnApiKey = endpoint(contract, ({ caller, deps, transaction }) =>
  transaction(async (tx) => {
    const user = (await userById(tx.sql, caller.realm.id, caller.user.id))!
    await endPushRegistrations(tx, caller)
    return { api_key: await replaceKey(tx, deps.keys, user) }
  }),
)
