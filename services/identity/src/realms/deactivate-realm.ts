import { deactivateRealm as contract } from '@parley/contracts/identity/realm-life'
import { endpoint } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import { endRealm } from './realm-ending.ts'
import { lockAccounts } from './realm-store.ts'

export const deactivateRealm = endpoint(contract, ({ caller, params, deps, transaction }) =>
  transaction(async (tx) => {
    await lockAccounts(tx.sql, caller.realm.id)
    await actingUser(tx.sql, caller, 'owner')
    await endRealm(tx, caller.realm.id, params.deletion_delay_days, deps.deletionBounds)
    return {}
  }),
)
