import type { KnownCaller } from '@parley/contracts'
import type { User } from '@parley/contracts/objects/user'
import { profileDataOf } from '../profile-fields/profile-value-store.ts'
import type { Queries } from '../room.ts'
import { type UserWishes, userSeenBy } from './user-presentation.ts'
import type { UserRow } from './user-store.ts'

/** User objects of accounts as the caller may see them; one query more where profiles are wanted. */
export const seenUsers = async (
  sql: Queries,
  { realm, user: viewer }: KnownCaller,
  users: readonly UserRow[],
  wishes: UserWishes,
): Promise<User[]> => {
  if (wishes.include_custom_profile_fields !== true) {
    return users.map((user) => userSeenBy(viewer, user, wishes))
  }
  const ids = users.map(({ id }) => id)
  const profiles = await profileDataOf(sql, realm.id, ids)
  return users.map((user) => userSeenBy(viewer, user, { ...wishes, profile: profiles.get(user.id) ?? {} }))
}
