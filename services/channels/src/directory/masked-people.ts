import type { CallerRealm } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import { unknownUserName } from '@parley/contracts/objects/unknown-user'

/** The address that stands for that of an account whose real one is not to be shown. */
export const maskedEmail = (userId: number, { url }: Pick<CallerRealm, 'url'>): string =>
  `user${userId}@${new URL(url).hostname}`

/** An account as a reader sees it who may not know it. Its picture follows from the address that says nothing. */
export const maskedPerson = (user: UserFact, realm: Pick<CallerRealm, 'url'>): UserFact => ({
  ...user,
  full_name: unknownUserName,
  email: maskedEmail(user.id, realm),
  // Another than the API e-mail: no client makes the picture's address from it.
  delivery_email: '',
  avatar_source: 'G',
  avatar_version: 1,
})
