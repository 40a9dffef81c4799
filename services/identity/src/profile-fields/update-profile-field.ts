import { realmUserUpdate } from '@parley/contracts/identity/events'
import { updateProfileField as contract } from '@parley/contracts/identity/profile-fields'
import { profileFieldTypes } from '@parley/contracts/objects/profile-field'
import { audienceOf } from '../acquaintances/user-audience.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { actingUser } from '../users/acting-user.ts'
import { announceProfileFields } from './profile-field-announcements.ts'
import { besideOthersFinding, optionsOf, profileFieldAfter } from './profile-field-rules.ts'
import { changeProfileField, profileFieldsOf } from './profile-field-store.ts'
import { removeOtherChoices } from './profile-value-store.ts'

export const updateProfileField = endpoint(contract, ({ caller, params, transaction, refuse }) =>
  transaction(async (tx) => {
    const realmId = caller.realm.id
    // Who is told of choices that are gone depends on who there is.
    await lockAccounts(tx.sql, realmId)
    await actingUser(tx.sql, caller, 'administrator')
    const { field_id, ...wishes } = params
    const all = await profileFieldsOf(tx.sql, realmId)
    const before = all.find(({ id }) => id === field_id)
    if (before === undefined) throw refuse('BAD_REQUEST', `Field id ${field_id} not found.`)
    const outcome = profileFieldAfter(before.type, wishes, before)
    if (outcome.finding !== undefined) throw refuse('BAD_REQUEST', outcome.finding)
    const { properties } = outcome
    const finding = besideOthersFinding(
      properties,
      all.filter(({ id }) => id !== field_id),
    )
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    await changeProfileField(tx.sql, field_id, properties)
    if (before.type === profileFieldTypes.SELECT.id && properties.field_data !== before.field_data) {
      for (const user_id of await removeOtherChoices(tx.sql, field_id, optionsOf(properties.field_data))) {
        const person = { user_id, custom_profile_field: { id: field_id, value: null } }
        const audience = await audienceOf(tx.sql, { id: user_id, realm_id: realmId, bot_type: null })
        tx.emit(realmUserUpdate, audience, { person })
      }
    }
    await announceProfileFields(tx, realmId)
    return {}
  }),
)
