import { updateOwnProfile as contract } from '@parley/contracts/identity/profile-fields'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { activeCaller } from '../users/acting-user.ts'
import { changeProfile } from './profile-change.ts'

export const updateOwnProfile = endpoint(contract, ({ caller, params, transaction }) =>
  transaction(async (tx) => {
    await lockAccounts(tx.sql, caller.realm.id)
    const user = await activeCaller(tx.sql, caller)
    await changeProfile(tx, { user, data: params.data, by: 'self', realmUrl: caller.realm.url })
    return {}
  }),
)
