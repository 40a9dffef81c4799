import type { OutputOf } from '@parley/contracts'
import { authenticate as contract } from '@parley/contracts/identity/internals'
import { internal } from '../room.ts'
import { type Account, accountByKey } from '../users/credential-store.ts'

type Answer = OutputOf<typeof contract>

/** One answer for an unknown e-mail, a wrong key and a key of another organization. */
const nobody: Answer = { outcome: 'invalid', user: null, version: 0 }

const outcomeFor = (account: Account): Answer['outcome'] => {
  if (!account.realm_is_active) return 'realm_deactivated'
  return account.is_active ? 'accepted' : 'user_deactivated'
}

/** Whose e-mail and key these are. That an account or an organization was ended is told to the key's owner only. */
export const authenticate = internal(contract, async ({ input, deps }) => {
  const { realm_id, email, api_key } = input
  const account = await accountByKey(deps.database.sql, realm_id, email, deps.keys.hash(api_key))
  if (account === undefined) return nobody
  const { id, role, bot_type, key_version, version } = account
  return { outcome: outcomeFor(account), user: { id, role, bot_type, key_version }, version }
})
