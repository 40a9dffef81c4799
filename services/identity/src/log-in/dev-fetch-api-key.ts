import { devFetchApiKey as contract } from '@parley/contracts/identity/accounts'
import { realmById } from '../realms/realm-store.ts'
import { methodsInForce } from '../realms/settings-in-force.ts'
import { endpoint } from '../room.ts'
import { accountByDeliveryEmail } from '../users/credential-store.ts'
import { noteFirstLogIn } from './first-log-in.ts'
import { keyFor } from './key-for.ts'

export const devFetchApiKey = endpoint(contract, async ({ caller, params, deps, transaction, refuse }) => {
  if (!deps.isDevelopment) {
    throw refuse('BAD_REQUEST', 'Logging in without a password is only possible in development mode.')
  }
  const realm = await realmById(deps.database.sql, caller.realm.id)
  if (realm !== undefined && !methodsInForce(realm).Dev) {
    throw refuse('BAD_REQUEST', 'Logging in without a password is switched off in this organization.')
  }
  const account = await accountByDeliveryEmail(deps.database.sql, caller.realm.id, params.username)
  if (account === undefined) throw refuse('AUTHENTICATION_FAILED', 'There is no account with this e-mail.')
  const answer = keyFor(account, deps.keys)
  if (account.awaits_first_log_in) {
    await transaction((tx) => noteFirstLogIn(tx, caller.realm.id, account.id))
  }
  return answer
})
