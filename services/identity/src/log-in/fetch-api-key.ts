import { fetchApiKey as contract } from '@parley/contracts/identity/accounts'
import { realmById } from '../realms/realm-store.ts'
import { methodsInForce } from '../realms/settings-in-force.ts'
import { endpoint } from '../room.ts'
import { accountByDeliveryEmail } from '../users/credential-store.ts'
import { noteFirstLogIn } from './first-log-in.ts'
import { keyFor } from './key-for.ts'

export const fetchApiKey = endpoint(contract, async ({ caller, params, deps, transaction, refuse }) => {
  const account = await accountByDeliveryEmail(deps.database.sql, caller.realm.id, params.username)
  const realm = await realmById(deps.database.sql, caller.realm.id)
  if (realm !== undefined && !methodsInForce(realm).Email) {
    throw refuse('PASSWORD_AUTH_DISABLED', 'Password authentication is disabled in this organization')
  }
  // The same work whether or not there is such an account, and before anything about it is told.
  const isOwner = await deps.passwords.fits(params.password, account?.password_hash ?? null)
  if (account === undefined || !isOwner) {
    throw refuse('AUTHENTICATION_FAILED', 'Your username or password is incorrect')
  }
  const answer = keyFor(account, deps.keys)
  if (account.awaits_first_log_in) {
    await transaction((tx) => noteFirstLogIn(tx, caller.realm.id, account.id))
  }
  return answer
})
