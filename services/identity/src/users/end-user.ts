import { endUser as contract } from '@parley/contracts/identity/user-administration'
import { realmHost } from '../realms/realm-address.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { deleteProfile, endAccount } from './account-ending.ts'
import { actingUser } from './acting-user.ts'
import { demandOwnerForOwner, isOnlyOwner } from './owner-rules.ts'
import { userById } from './user-store.ts'

export const endUser = endpoint(contract, ({ caller, params, deps, transaction, refuse }) =>
  transaction(async (tx) => {
    const { sql } = tx
    await lockAccounts(sql, caller.realm.id)
    const actor = await actingUser(sql, caller, 'administrator')
    const user = await userById(sql, caller.realm.id, params.user_id)
    if (user === undefined || user.bot_type !== null) throw refuse('BAD_REQUEST', 'No such user')
    demandOwnerForOwner(actor, user.role)
    if (await isOnlyOwner(sql, user)) {
      throw refuse('CANNOT_DEACTIVATE_LAST_USER', 'Cannot deactivate the only organization owner.', {
        is_last_owner: true,
        entity: 'organization owner',
      })
    }
    await endAccount(tx, user)
    if (params.actions?.delete_profile === true && !user.is_deleted) {
      const ended = (await userById(sql, caller.realm.id, user.id))!
      await deleteProfile(tx, deps.keys, ended, realmHost(deps.publicUrl, caller.realm.subdomain))
    }
    return {}
  }),
)
