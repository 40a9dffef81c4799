import { type KnownCaller, refuse } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { UserDirectory } from '../directory/user-directory.ts'

/**
 * The people whom a request about subscriptions is for: the caller, or those named by ID or API e-mail; each once.
 *
 * @throws ApiError BAD_REQUEST when one does not exist here or is deactivated (level 208).
 */
export const findPrincipals = async (
  users: UserDirectory,
  caller: KnownCaller,
  principals: readonly number[] | readonly string[] | undefined,
): Promise<UserFact[]> => {
  const realmId = caller.realm.id
  const wanted: readonly (number | string)[] =
    principals === undefined || principals.length === 0 ? [caller.user.id] : principals
  const ids = wanted.filter((principal) => typeof principal === 'number')
  const emails = wanted
    .filter((principal) => typeof principal === 'string')
    .map((email) => email.trim().toLowerCase())
  const byId = await users.byIds(realmId, ids)
  const byEmail = await users.byEmails(realmId, emails)
  const found = new Map<number, UserFact>()
  const take = (user: UserFact | undefined, principal: number | string): void => {
    if (user === undefined) throw refuse('BAD_REQUEST', `No such user: ${principal}`)
    if (!user.is_active) throw refuse('BAD_REQUEST', `User is deactivated: ${principal}`)
    found.set(user.id, user)
  }
  for (const id of ids) take(byId.get(id), id)
  for (const email of emails) take(byEmail.get(email), email)
  return [...found.values()]
}

/**
 * Active accounts by ID, each once.
 *
 * @throws ApiError BAD_REQUEST when one does not exist here or is deactivated.
 */
export const findUsersById = async (
  users: UserDirectory,
  realmId: number,
  ids: readonly number[],
): Promise<UserFact[]> => {
  const wanted = [...new Set(ids)]
  const found = await users.byIds(realmId, wanted)
  return wanted.map((id) => {
    const user = found.get(id)
    if (user === undefined) throw refuse('BAD_REQUEST', `No such user: ${id}`)
    if (!user.is_active) throw refuse('BAD_REQUEST', `User is deactivated: ${id}`)
    return user
  })
}
