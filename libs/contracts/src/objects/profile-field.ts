/** What organizations ask people about themselves (facts, section 1). */
import { z } from 'zod'

/** Kinds of profile fields, by the names that clients know. */
export const profileFieldTypes = {
  SHORT_TEXT: { id: 1, name: 'Text (short)' },
  LONG_TEXT: { id: 2, name: 'Text (long)' },
  SELECT: { id: 3, name: 'List of options' },
  DATE: { id: 4, name: 'Date' },
  URL: { id: 5, name: 'Link' },
  USER: { id: 6, name: 'Users' },
  EXTERNAL_ACCOUNT: { id: 7, name: 'External account' },
  PRONOUNS: { id: 8, name: 'Pronouns' },
} as const
export const ProfileFieldType = z.literal([1, 2, 3, 4, 5, 6, 7, 8])
export type ProfileFieldType = z.infer<typeof ProfileFieldType>

export const ProfileField = z.strictObject({
  id: z.int(),
  type: ProfileFieldType,
  order: z.int(),
  name: z.string(),
  hint: z.string(),
  /** JSON text; empty for the kinds that need none. */
  field_data: z.string(),
  /** Only `true`. */
  display_in_profile_summary: z.literal(true).optional(),
  required: z.boolean(),
  editable_by_user: z.boolean(),
  use_for_user_matching: z.boolean(),
})
export type ProfileField = z.infer<typeof ProfileField>

/** Sites whose accounts need no description by an administrator. */
export const externalAccounts = {
  twitter: {
    name: 'X (Twitter)',
    text: 'X (Twitter)',
    hint: 'Enter your X (Twitter) username',
    url_pattern: 'https://x.com/%(username)s',
  },
  github: {
    name: 'GitHub',
    text: 'GitHub',
    hint: 'Enter your GitHub username',
    url_pattern: 'https://github.com/%(username)s',
  },
} as const

/** What is said of one field: text, a list of account IDs for fields of the kind Users, or nothing any more. */
export const ProfileValue = z.strictObject({
  id: z.int(),
  value: z.union([z.string(), z.array(z.int()), z.null()]),
})
export type ProfileValue = z.infer<typeof ProfileValue>
