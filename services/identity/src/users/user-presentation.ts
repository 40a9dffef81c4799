import { roles } from '@parley/contracts'
import { avatarUrl } from '@parley/contracts/objects/avatar'
import type { ProfileData, User } from '@parley/contracts/objects/user'
import type { z } from 'zod'
import { seesEmail, type Viewer } from './email-visibility.ts'
import type { UserRow } from './user-store.ts'

/** What a client asked of user objects. */
export interface UserWishes {
  /** Whether the client makes the addresses of the avatar provider itself, where it can. */
  readonly client_gravatar: boolean
  readonly include_custom_profile_fields?: boolean
  /** What the account said of itself, where that is wanted. */
  readonly profile?: z.infer<typeof ProfileData>
}

/** The fields about one's power, as clients know them. */
export const roleFlags = (user: Pick<UserRow, 'role'>) => ({
  is_owner: user.role === roles.owner,
  is_admin: user.role <= roles.administrator,
  is_guest: user.role === roles.guest,
})

/**
 * Where a user's picture is, for a client: null when it can make the address itself, "when client_gravatar is true,
 * the requester can access the user's real email, and the avatar is hosted by the third-party avatar provider".
 */
const pictureFor = (user: UserRow, showsEmail: boolean, wishes: UserWishes): string | null =>
  wishes.client_gravatar && showsEmail && user.avatar_source === 'G' ? null : avatarUrl(user)

/** The user object with the real e-mail address shown or not. This is the only place where it is written. */
export const userObject = (user: UserRow, showsEmail: boolean, wishes: UserWishes): User => ({
  user_id: user.id,
  delivery_email: showsEmail ? user.delivery_email : null,
  email: user.email,
  full_name: user.full_name,
  date_joined: user.date_joined,
  is_active: user.is_active,
  ...roleFlags(user),
  is_bot: user.bot_type !== null,
  bot_type: user.bot_type,
  bot_owner_id: user.bot_owner_id,
  role: user.role,
  timezone: user.timezone,
  avatar_url: pictureFor(user, showsEmail, wishes),
  avatar_version: user.avatar_version,
  is_imported_stub: user.is_imported_stub,
  ...(user.is_deleted ? { is_deleted: true as const } : {}),
  // "present only when is_bot is false (and include_custom_profile_fields true)"
  ...(wishes.include_custom_profile_fields && user.bot_type === null
    ? { profile_data: wishes.profile ?? {} }
    : {}),
})

/** The user object as `viewer` may see it. */
export const userSeenBy = (viewer: Viewer, user: UserRow, wishes: UserWishes): User =>
  userObject(user, seesEmail(viewer, user), wishes)
