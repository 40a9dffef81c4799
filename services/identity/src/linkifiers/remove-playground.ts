import { removePlayground as contract } from '@parley/contracts/identity/linkifiers'
import { lockGroups } from '../groups/group-store.ts'
import { endpoint } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import { deletePlayground } from './linkifier-store.ts'
import { announcePlaygrounds } from './playground-announcements.ts'

export const removePlayground = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const realmId = caller.realm.id
    await lockGroups(tx.sql, realmId)
    await actingUser(tx.sql, caller, 'administrator')
    if (!(await deletePlayground(tx.sql, realmId, params.playground_id))) {
      throw refuse('BAD_REQUEST', 'Invalid playground')
    }
    await announcePlaygrounds(tx, realmId)
    return {}
  }),
)
