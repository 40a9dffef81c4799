import { updateUser as contract } from '@parley/contracts/identity/user-administration'
import { changeProfileOf } from '../profile-fields/profile-change.ts'
import { realmHost } from '../realms/realm-address.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { updateAccount } from './account-update.ts'
import { actingUser } from './acting-user.ts'
import { userById } from './user-store.ts'

export const updateUser = endpoint(contract, ({ caller, params, deps, transaction, refuse }) =>
  transaction(async (tx) => {
    await lockAccounts(tx.sql, caller.realm.id)
    const actor = await actingUser(tx.sql, caller, 'administrator')
    const user = await userById(tx.sql, caller.realm.id, params.user_id)
    if (user === undefined) throw refuse('BAD_REQUEST', 'No such user')
    await updateAccount(tx, deps.ask, actor, user, params, realmHost(deps.publicUrl, caller.realm.subdomain))
    if (params.profile_data !== undefined) {
      await changeProfileOf(tx, user, params.profile_data, caller.realm.url)
    }
    return {}
  }),
)
