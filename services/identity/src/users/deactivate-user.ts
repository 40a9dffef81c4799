import { deactivateUser as contract } from '@parley/contracts/identity/internals'
import { demandRealm } from '../realms/demand-realm.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { internal } from '../room.ts'
import { endAccount } from './account-ending.ts'
import { demandAccount } from './demand-account.ts'
import { userById } from './user-store.ts'

/** An account that was ended before stays as it is, and nothing is announced again. */
export const deactivateUser = internal(contract, async ({ input, deps, transaction }) => {
  const realm = await demandRealm(deps.database.sql, input.realm)
  const { id } = await demandAccount(deps.database.sql, realm.id, input.email)
  await transaction(async (tx) => {
    await lockAccounts(tx.sql, realm.id)
    const user = await userById(tx.sql, realm.id, id)
    if (user?.is_active) await endAccount(tx, user)
  })
  return { user_id: id }
})
