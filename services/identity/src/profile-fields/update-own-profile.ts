import { updateOwnProfile as contract } from '@parley/contracts/identity/profile-fields'
import { endpoint } from '../room.ts'
import { userById } from '../users/user-store.ts'
import { changeProfile } from './profile-change.ts'

export const updateOwnProfile = endpoint(contract, ({ caller, params, transaction }) =>
  transaction(async (tx) => {
    const user = (await userById(tx.sql, caller.realm.id, caller.user.id))!
    await changeProfile(tx, { user, data: params.data, by: 'self', realmUrl: caller.realm.url })
    return {}
  }),
)
