import type { KnownCaller } from '@parley/contracts'
import type { Queries } from '../room.ts'
import { dummyEmailId, seesEmail } from './email-visibility.ts'
import { type UserRow, userById, usersByEmail } from './user-store.ts'

/**
 * The account that a caller names by an address: "the real delivery email (succeeds only if the target's email
 * visibility permits the requester) or the dummy address form user<id>@<realm_host> (works for all users)".
 */
export const userByEmailFor = async (
  sql: Queries,
  { realm, user: viewer }: KnownCaller,
  email: string,
  realmHost: string,
): Promise<UserRow | undefined> => {
  const id = dummyEmailId(email, realmHost)
  if (id !== undefined) return userById(sql, realm.id, id)
  const users = await usersByEmail(sql, realm.id, [email])
  return users.find((user) => seesEmail(viewer, user))
}
