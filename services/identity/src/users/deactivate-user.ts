import { deactivateUser as contract } from '@parley/contracts/identity/internals'
import { demandRealm } from '../realms/demand-realm.ts'
import { internal } from '../room.ts'
import { demandAccount } from './demand-account.ts'
import { announceActivation } from './user-announcements.ts'
import { setActive } from './user-store.ts'

/** An account that was ended before stays as it is, and nothing is announced again. */
export const deactivateUser = internal(contract, async ({ input, deps, transaction }) => {
  const realm = await demandRealm(deps.database.sql, input.realm)
  const { id } = await demandAccount(deps.database.sql, realm.id, input.email)
  await transaction(async (tx) => {
    const user = await setActive(tx.sql, realm.id, id, false)
    if (user !== undefined) await announceActivation(tx, user)
  })
  return { user_id: id }
})
