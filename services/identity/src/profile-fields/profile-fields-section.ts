import { customProfileFieldsSection as contract } from '@parley/contracts/identity/sections'
import { profileFieldTypes } from '@parley/contracts/objects/profile-field'
import { section } from '../room.ts'
import { profileFieldObject, profileFieldsOf } from './profile-field-store.ts'

export const customProfileFieldsSection = section(
  contract,
  async ({ caller, sql }) => ({
    custom_profile_fields: (await profileFieldsOf(sql, caller.realm.id)).map(profileFieldObject),
    custom_profile_field_types: structuredClone(profileFieldTypes),
  }),
  // They see nobody's profile.
  async () => ({ custom_profile_fields: [], custom_profile_field_types: structuredClone(profileFieldTypes) }),
)
