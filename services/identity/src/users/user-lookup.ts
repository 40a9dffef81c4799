import type { KnownCaller } from '@parley/contracts'
import { mayKnowAccount } from '../acquaintances/known-accounts.ts'
import type { Queries } from '../room.ts'
import { dummyEmailId, seesEmail } from './email-visibility.ts'
import { type UserRow, userById, usersByEmail } from './user-store.ts'

/**
 * The account that a caller names by an address: "the real delivery email (succeeds only if the target's email
 * visibility permits the requester) or the dummy address form user<id>@<realm_host> (works for all users)".
 */
export const userByEmailFor = async (
  sql: Queries,
  caller: KnownCaller,
  email: string,
  realmHost: string,
): Promise<UserRow | undefined> => {
  const { realm, user: viewer } = caller
  const id = dummyEmailId(email, realmHost)
  const found =
    id === undefined
      ? (await usersByEmail(sql, realm.id, [email])).find((user) => seesEmail(viewer, user))
      : await userById(sql, realm.id, id)
  return found !== undefined && (await mayKnowAccount(sql, caller, found)) ? found : undefined
}
