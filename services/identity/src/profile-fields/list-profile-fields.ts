import { listProfileFields as contract } from '@parley/contracts/identity/profile-fields'
import { endpoint } from '../room.ts'
import { profileFieldObject, profileFieldsOf } from './profile-field-store.ts'

export const listProfileFields = endpoint(contract, async ({ caller, deps }) => ({
  custom_fields: (await profileFieldsOf(deps.database.sql, caller.realm.id)).map(profileFieldObject),
}))
