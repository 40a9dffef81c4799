import { roles } from '../caller.ts'
import type { User } from './user.ts'

/** What an account is called for who may not know it. */
export const unknownUserName = 'Unknown user'

/** The same picture for all of them, at the avatar provider: a name that no e-mail address has. */
export const unknownUserAvatarUrl =
  'https://secure.gravatar.com/avatar/00000000000000000000000000000000?d=mp&f=y&version=1'

/** ISO 8601; that of all placeholders, since when somebody came is not told. */
const dateJoined = '2026-01-01T00:00:00+00:00'

/** A placeholder for an account that the reader may not know. `email` says nothing: `user<id>@<realm host>`. */
export const unknownUser = (user_id: number, email: string): User => ({
  user_id,
  delivery_email: null,
  email,
  full_name: unknownUserName,
  date_joined: dateJoined,
  is_active: true,
  is_owner: false,
  is_admin: false,
  is_guest: false,
  is_bot: false,
  bot_type: null,
  bot_owner_id: null,
  role: roles.member,
  timezone: '',
  avatar_url: unknownUserAvatarUrl,
  avatar_version: 1,
  is_imported_stub: false,
  profile_data: {},
})

/** Whether a user object is a placeholder; nothing else has its picture. */
export const isUnknownUser = ({ avatar_url }: Pick<User, 'avatar_url'>): boolean =>
  avatar_url === unknownUserAvatarUrl
