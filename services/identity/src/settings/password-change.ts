import { type KnownCaller, refuse } from '@parley/contracts'
import { demandStrength } from '../passwords/demand-strength.ts'
import { realmById } from '../realms/realm-store.ts'
import { methodsInForce } from '../realms/settings-in-force.ts'
import type { Deps } from '../room.ts'
import { passwordHashOf } from '../users/credential-store.ts'
import { passwordFinding } from '../users/user-rules.ts'
import { userById } from '../users/user-store.ts'

/**
 * The stored form of the caller's new password, once the old one was seen to fit; undefined when none is to be set. Done
 * before the transaction: hashing takes a while, on purpose.
 *
 * @throws ApiError BAD_REQUEST
 */
export const checkedPassword = async (
  { database: { sql }, directory, passwords }: Pick<Deps, 'database' | 'directory' | 'passwords'>,
  { realm: { id: realmId }, user: { id, bot_type } }: KnownCaller,
  { old_password = '', new_password }: { old_password?: string; new_password?: string },
): Promise<string | undefined> => {
  if (new_password === undefined || new_password === '') return undefined
  if (bot_type !== null) throw refuse('BAD_REQUEST', 'Bots have no password.')
  const realm = (await realmById(sql, realmId))!
  const { delivery_email, full_name } = (await userById(sql, realmId, id))!
  if (directory !== undefined && methodsInForce(realm).LDAP) {
    // Whom the directory knows, it decides over.
    if ((await directory.find(delivery_email, old_password)) !== 'unknown') {
      throw refuse('BAD_REQUEST', 'Your password is managed in LDAP')
    }
  }
  if (!(await passwords.fits(old_password, await passwordHashOf(sql, id)))) {
    throw refuse('BAD_REQUEST', 'Wrong password!')
  }
  const finding = passwordFinding(new_password)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  demandStrength(new_password, [delivery_email, full_name, realm.name, realm.subdomain])
  return passwords.hash(new_password)
}
