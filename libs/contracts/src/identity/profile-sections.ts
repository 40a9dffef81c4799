import { z } from 'zod'
import { ProfileField } from '../objects/profile-field.ts'
import { section } from '../section.ts'

export const customProfileFieldsSection = section({
  service: 'identity',
  name: 'custom_profile_fields',
  fields: {
    custom_profile_fields: z.array(ProfileField),
    custom_profile_field_types: z.record(z.string(), z.strictObject({ id: z.int(), name: z.string() })),
  },
})
