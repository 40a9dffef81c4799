import { type KnownCaller, type RoleName, refuse, roles } from '@parley/contracts'
import type { Queries } from '../room.ts'
import { type UserRow, userById } from './user-store.ts'

/** Permissions of single accounts, given by operators. */
export interface ActingUser extends UserRow {
  readonly can_create_users: boolean
  readonly can_change_user_emails: boolean
}

/**
 * The caller's account: a request may come when it was ended already. To be asked under `lockAccounts`.
 *
 * @throws ApiError USER_DEACTIVATED when it was.
 */
export const activeCaller = async (sql: Queries, { realm, user }: KnownCaller): Promise<UserRow> => {
  const current = await userById(sql, realm.id, user.id)
  if (!current?.is_active) throw refuse('USER_DEACTIVATED', 'Account is deactivated')
  return current
}

/**
 * The caller as the account is now: the role in its token may be seconds old. To be asked under `lockAccounts` where a
 * decision has to hold until the end of the transaction.
 *
 * @throws ApiError UNAUTHORIZED_PRINCIPAL when the account has not (any more) the role `least`.
 */
export const actingUser = async (
  sql: Queries,
  { realm, user }: KnownCaller,
  least: RoleName,
): Promise<ActingUser> => {
  const current = await userById(sql, realm.id, user.id)
  if (current === undefined || !current.is_active || current.role > roles[least]) {
    throw refuse('UNAUTHORIZED_PRINCIPAL', `Must be an organization ${least}`)
  }
  const [given] = await sql<Pick<ActingUser, 'can_create_users' | 'can_change_user_emails'>[]>`
    SELECT can_create_users, can_change_user_emails FROM users WHERE id = ${user.id}`
  return { ...current, ...given! }
}
