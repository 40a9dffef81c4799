import { createProfileField as contract } from '@parley/contracts/identity/profile-fields'
import { lockGroups } from '../groups/group-store.ts'
import { endpoint } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import { announceProfileFields } from './profile-field-announcements.ts'
import { besideOthersFinding, profileFieldAfter } from './profile-field-rules.ts'
import { insertProfileField, profileFieldsOf } from './profile-field-store.ts'

export const createProfileField = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const realmId = caller.realm.id
    await lockGroups(tx.sql, realmId)
    await actingUser(tx.sql, caller, 'administrator')
    const { field_type, ...wishes } = params
    const outcome = profileFieldAfter(field_type, wishes)
    if (outcome.finding !== undefined) throw refuse('BAD_REQUEST', outcome.finding)
    const others = await profileFieldsOf(tx.sql, realmId)
    const finding = besideOthersFinding(outcome.properties, others)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    const order = Math.max(0, ...others.map((field) => field.order)) + 1
    const id = await insertProfileField(tx.sql, realmId, { ...outcome.properties, type: field_type, order })
    await announceProfileFields(tx, realmId)
    return { id }
  }),
)
