import { fetchApiKey as contract } from '@parley/contracts/identity/accounts'
import type { DirectoryAnswer } from '../ldap/directory.ts'
import { createFromDirectory, hasUsableEmail } from '../ldap/directory-log-in.ts'
import { realmHost } from '../realms/realm-address.ts'
import { realmById } from '../realms/realm-store.ts'
import { methodsInForce } from '../realms/settings-in-force.ts'
import { endpoint } from '../room.ts'
import { type AccountWithSecrets, accountByDeliveryEmail } from '../users/credential-store.ts'
import { noteFirstLogIn } from './first-log-in.ts'
import { keyFor } from './key-for.ts'

export const fetchApiKey = endpoint(contract, async ({ caller, params, deps, transaction, refuse }) => {
  const { sql } = deps.database
  const { username, password } = params
  const failed = () => refuse('AUTHENTICATION_FAILED', 'Your username or password is incorrect')
  const place = { id: caller.realm.id, host: realmHost(deps.publicUrl, caller.realm.subdomain) }
  const realm = await realmById(sql, place.id)
  if (realm === undefined) throw failed()
  const methods = methodsInForce(realm)
  const directory = methods.LDAP ? deps.directory : undefined
  if (!methods.Email && directory === undefined) {
    throw refuse('PASSWORD_AUTH_DISABLED', 'Password authentication is disabled in this organization')
  }
  const answer: DirectoryAnswer = (await directory?.find(username, password)) ?? 'unknown'

  let account: AccountWithSecrets | undefined
  if (typeof answer === 'string') {
    // Whom the directory knows, it decides over: only others have a password here. The same work whether or not there is
    // such an account, and before anything about it is told.
    const isOurs = answer === 'unknown' && methods.Email
    const local = await accountByDeliveryEmail(sql, place.id, username)
    const fits = await deps.passwords.fits(password, isOurs ? (local?.password_hash ?? null) : null)
    if (fits) account = local
    if (account?.password_reset_required) {
      throw refuse('PASSWORD_RESET_REQUIRED', 'Your password has been disabled and needs to be reset')
    }
  } else {
    if (!hasUsableEmail(answer, place)) throw failed()
    if (!answer.is_active) throw refuse('USER_DEACTIVATED', 'Account is deactivated')
    const known = () => accountByDeliveryEmail(sql, place.id, answer.email)
    account = await known()
    if (account === undefined && realm.is_active) {
      await transaction((tx) => createFromDirectory(tx, deps.keys, answer, place))
      account = await known()
    }
  }
  if (account === undefined || account.bot_type !== null) throw failed()
  const { id, awaits_first_log_in } = account
  const key = keyFor(account, deps.keys)
  if (awaits_first_log_in) await transaction((tx) => noteFirstLogIn(tx, place.id, id))
  return key
})
