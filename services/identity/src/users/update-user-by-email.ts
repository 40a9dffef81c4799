import { updateUserByEmail as contract } from '@parley/contracts/identity/user-administration'
import { changeProfileOf } from '../profile-fields/profile-change.ts'
import { realmHost } from '../realms/realm-address.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { updateAccount } from './account-update.ts'
import { actingUser } from './acting-user.ts'
import { userByEmailFor } from './user-lookup.ts'

export const updateUserByEmail = endpoint(contract, ({ caller, params, deps, transaction, refuse }) =>
  transaction(async (tx) => {
    const host = realmHost(deps.publicUrl, caller.realm.subdomain)
    await lockAccounts(tx.sql, caller.realm.id)
    const actor = await actingUser(tx.sql, caller, 'administrator')
    const user = await userByEmailFor(tx.sql, caller, params.email, host)
    if (user === undefined) throw refuse('BAD_REQUEST', 'No such user')
    await updateAccount(tx, deps.ask, actor, user, params, host)
    if (params.profile_data !== undefined) {
      await changeProfileOf(tx, user, params.profile_data, caller.realm.url)
    }
    return {}
  }),
)
