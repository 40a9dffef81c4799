import { type CallerUser, refuse } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Deps } from '../room.ts'
import { isLimitedGuest, strangersOf } from './company.ts'
import type { Realm } from './realm-store.ts'

/**
 * Somebody of the organization, whom a request names.
 *
 * @throws ApiError BAD_REQUEST, the same for accounts that there are not and for those that the caller may not know.
 */
export const demandPerson = async (
  { database, users }: Pick<Deps, 'database' | 'users'>,
  realm: Realm,
  caller: CallerUser,
  id: number,
): Promise<UserFact> => {
  const user = (await users.byIds(realm.id, [id])).get(id)
  const isHidden =
    isLimitedGuest(realm, caller) &&
    (await database.guard(strangersOf(database.sql, realm, caller.id, [id]))).size > 0
  if (user === undefined || isHidden) throw refuse('BAD_REQUEST', 'No such user')
  return user
}
