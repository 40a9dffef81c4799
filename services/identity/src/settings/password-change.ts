import { type KnownCaller, refuse } from '@parley/contracts'
import type { Deps } from '../room.ts'
import { passwordHashOf } from '../users/credential-store.ts'
import { passwordFinding } from '../users/user-rules.ts'

/**
 * The stored form of the caller's new password, once the old one was seen to fit; undefined when none is to be set. Done
 * before the transaction: hashing takes a while, on purpose.
 *
 * @throws ApiError BAD_REQUEST
 */
export const checkedPassword = async (
  { database, passwords }: Pick<Deps, 'database' | 'passwords'>,
  { user }: KnownCaller,
  { old_password, new_password }: { old_password?: string; new_password?: string },
): Promise<string | undefined> => {
  if (new_password === undefined || new_password === '') return undefined
  if (user.bot_type !== null) throw refuse('BAD_REQUEST', 'Bots have no password.')
  const finding = passwordFinding(new_password)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  if (!(await passwords.fits(old_password ?? '', await passwordHashOf(database.sql, user.id)))) {
    throw refuse('BAD_REQUEST', 'Wrong password!')
  }
  return passwords.hash(new_password)
}
