import { endOwnUser as contract } from '@parley/contracts/identity/user-administration'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { endAccount } from './account-ending.ts'
import { isOnlyOwner, isOnlyPerson } from './owner-rules.ts'
import { userById } from './user-store.ts'

export const endOwnUser = endpoint(contract, ({ caller, transaction, refuse }) =>
  transaction(async (tx) => {
    const { sql } = tx
    await lockAccounts(sql, caller.realm.id)
    const user = (await userById(sql, caller.realm.id, caller.user.id))!
    const is_last_owner = await isOnlyOwner(sql, user)
    if (is_last_owner || (await isOnlyPerson(sql, user))) {
      const entity = is_last_owner ? 'organization owner' : 'user'
      throw refuse('CANNOT_DEACTIVATE_LAST_USER', `Cannot deactivate the only ${entity}`, {
        is_last_owner,
        entity,
      })
    }
    await endAccount(tx, user)
    return {}
  }),
)
