import { z } from 'zod'
import { Role } from '../caller.ts'

export const ProfileData = z.record(
  z.string(),
  z.strictObject({ value: z.string(), rendered_value: z.string().optional() }),
)

/** The user object (requirement, "User object"), as one requester may see it. */
export const User = z.strictObject({
  user_id: z.int(),
  delivery_email: z.string().nullable(),
  email: z.string(),
  full_name: z.string(),
  date_joined: z.string(),
  is_active: z.boolean(),
  is_owner: z.boolean(),
  is_admin: z.boolean(),
  is_guest: z.boolean(),
  is_bot: z.boolean(),
  bot_type: z.int().nullable(),
  bot_owner_id: z.int().nullable(),
  role: Role,
  timezone: z.string(),
  avatar_url: z.string().nullable(),
  avatar_version: z.int(),
  is_imported_stub: z.boolean(),
  is_deleted: z.literal(true).optional(),
  profile_data: ProfileData.optional(),
})
export type User = z.infer<typeof User>

/** Permissions of single accounts, which are no settings: operators give them. */
export const UserPermission = z.enum(['can_create_users', 'can_change_user_emails'])
export type UserPermission = z.infer<typeof UserPermission>
