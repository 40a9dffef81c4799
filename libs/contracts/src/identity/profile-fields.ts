import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { ProfileField, ProfileFieldType, ProfileValue } from '../objects/profile-field.ts'
import { Id } from '../objects/values.ts'
import { realmUserUpdate } from './events.ts'
import { customProfileFields } from './profile-events.ts'

export const listProfileFields = endpoint({
  method: 'GET',
  path: '/realm/profile_fields',
  service: 'identity',
  summary: 'What the organization asks people about themselves, in order.',
  access: 'authenticated',
  params: {},
  reply: { custom_fields: z.array(ProfileField) },
})

const properties = {
  name: z.string().optional(),
  hint: z.string().optional(),
  /** For lists of options: `{"<key>": {"text", "order"}}`. For external accounts: `{"subtype", "url_pattern"?}`. */
  field_data: z.record(z.string(), z.json()).optional(),
  display_in_profile_summary: z.boolean().optional(),
  required: z.boolean().optional(),
  editable_by_user: z.boolean().optional(),
  use_for_user_matching: z.boolean().optional(),
}

export const createProfileField = endpoint({
  method: 'POST',
  path: '/realm/profile_fields',
  service: 'identity',
  summary: 'Ask people one more thing about themselves.',
  access: 'administrator',
  params: { field_type: ProfileFieldType, ...properties },
  reply: { id: z.int() },
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [customProfileFields],
})

export const reorderProfileFields = endpoint({
  method: 'PATCH',
  path: '/realm/profile_fields',
  service: 'identity',
  summary: 'Put the profile fields into another order: all of them are named.',
  access: 'administrator',
  params: { order: z.array(z.int()) },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [customProfileFields],
})

export const updateProfileField = endpoint({
  method: 'PATCH',
  path: '/realm/profile_fields/{field_id}',
  service: 'identity',
  summary: 'Change a profile field; values that chose an option which is gone go with it.',
  access: 'administrator',
  params: { field_id: Id, ...properties },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [customProfileFields, realmUserUpdate],
})

export const removeProfileField = endpoint({
  method: 'DELETE',
  path: '/realm/profile_fields/{field_id}',
  service: 'identity',
  summary: 'Remove a profile field, and what everybody said there.',
  access: 'administrator',
  params: { field_id: Id },
  reply: {},
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  emits: [customProfileFields],
})

export const updateOwnProfile = endpoint({
  method: 'PATCH',
  path: '/users/me/profile_data',
  service: 'identity',
  summary: 'Say something about oneself.',
  access: 'human',
  params: { data: z.array(ProfileValue) },
  reply: {},
  emits: [realmUserUpdate],
})

export const removeOwnProfile = endpoint({
  method: 'DELETE',
  path: '/users/me/profile_data',
  service: 'identity',
  summary: 'Take back what one said about oneself, by the IDs of fields.',
  access: 'human',
  params: { data: z.array(z.int()) },
  reply: {},
  emits: [realmUserUpdate],
})
