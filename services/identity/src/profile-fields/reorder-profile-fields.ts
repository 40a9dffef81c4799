import { reorderProfileFields as contract } from '@parley/contracts/identity/profile-fields'
import { lockGroups } from '../groups/group-store.ts'
import { endpoint } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import { announceProfileFields } from './profile-field-announcements.ts'
import { orderProfileFields, profileFieldsOf } from './profile-field-store.ts'

export const reorderProfileFields = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const realmId = caller.realm.id
    await lockGroups(tx.sql, realmId)
    await actingUser(tx.sql, caller, 'administrator')
    const known = await profileFieldsOf(tx.sql, realmId)
    const wanted = new Set(params.order)
    const isComplete = wanted.size === params.order.length && wanted.size === known.length
    if (!isComplete || known.some(({ id }) => !wanted.has(id))) {
      throw refuse('BAD_REQUEST', 'Invalid order mapping.')
    }
    await orderProfileFields(tx.sql, params.order)
    await announceProfileFields(tx, realmId)
    return {}
  }),
)
