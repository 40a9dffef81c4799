/** What of accounts is shown to who has none. */
import type { User } from '@parley/contracts/objects/user'
import type { RealmRow } from '../realms/realm-store.ts'
import { permissionsInForce, settingsInForce } from '../realms/settings-in-force.ts'
import { type UserWishes, userObject } from './user-presentation.ts'
import type { UserRow } from './user-store.ts'

/** Whether the organization shows anything to who has no account there. */
export const isShownToAnybody = (realm: RealmRow): boolean =>
  realm.is_active && settingsInForce(realm).enable_spectator_access === true

/** Where guests do not see everybody, nobody is shown to those who are less than guests. */
export const areUsersShownToAnybody = (realm: RealmRow): boolean =>
  permissionsInForce(realm).can_access_all_users_group === realm.system_groups['role:everyone']

/** An account as the whole world may know it: who wrote a message, and nothing that says where or when they are. */
export const seenFromOutside = (
  user: UserRow,
  { include_custom_profile_fields = false }: Partial<UserWishes> = {},
): User => ({
  // What people say of themselves they say to the organization.
  ...userObject(user, false, { client_gravatar: false, include_custom_profile_fields }),
  timezone: '',
  date_joined: user.date_joined.slice(0, 'YYYY-MM-DD'.length),
})
