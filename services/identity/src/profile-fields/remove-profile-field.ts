import { removeProfileField as contract } from '@parley/contracts/identity/profile-fields'
import { lockGroups } from '../groups/group-store.ts'
import { endpoint } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import { announceProfileFields } from './profile-field-announcements.ts'
import { deleteProfileField, profileFieldsOf } from './profile-field-store.ts'

export const removeProfileField = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const realmId = caller.realm.id
    await lockGroups(tx.sql, realmId)
    await actingUser(tx.sql, caller, 'administrator')
    const known = await profileFieldsOf(tx.sql, realmId)
    if (!known.some(({ id }) => id === params.field_id)) {
      throw refuse('BAD_REQUEST', `Field id ${params.field_id} not found.`)
    }
    await deleteProfileField(tx.sql, params.field_id)
    await announceProfileFields(tx, realmId)
    return {}
  }),
)
