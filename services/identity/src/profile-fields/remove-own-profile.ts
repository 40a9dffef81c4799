import { removeOwnProfile as contract } from '@parley/contracts/identity/profile-fields'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { activeCaller } from '../users/acting-user.ts'
import { changeProfile } from './profile-change.ts'

export const removeOwnProfile = endpoint(contract, ({ caller, params, transaction }) =>
  transaction(async (tx) => {
    await lockAccounts(tx.sql, caller.realm.id)
    const user = await activeCaller(tx.sql, caller)
    const data = params.data.map((id) => ({ id, value: null }))
    await changeProfile(tx, { user, data, by: 'self', realmUrl: caller.realm.url })
    return {}
  }),
)
