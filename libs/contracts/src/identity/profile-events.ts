import { z } from 'zod'
import { event } from '../event.ts'
import { ProfileField } from '../objects/profile-field.ts'

/** What the organization asks people about themselves changed; all of it, in order. */
export const customProfileFields = event({
  type: 'custom_profile_fields',
  fields: { fields: z.array(ProfileField) },
})
