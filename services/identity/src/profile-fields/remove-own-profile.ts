import { removeOwnProfile as contract } from '@parley/contracts/identity/profile-fields'
import { endpoint } from '../room.ts'
import { userById } from '../users/user-store.ts'
import { changeProfile } from './profile-change.ts'

export const removeOwnProfile = endpoint(contract, ({ caller, params, transaction }) =>
  transaction(async (tx) => {
    const user = (await userById(tx.sql, caller.realm.id, caller.user.id))!
    const data = params.data.map((id) => ({ id, value: null }))
    await changeProfile(tx, { user, data, by: 'self', realmUrl: caller.realm.url })
    return {}
  }),
)
