import { authenticate as contract } from '@parley/contracts/identity/internals'
import { internal } from '../room.ts'
import { accountByKey } from '../users/credential-store.ts'

/** Whose e-mail and key these are. That an account or an organization was ended is told to nobody but the key's owner. */
export const authenticate = internal(contract, async ({ input, deps }) => {
  const { realm_id, email, api_key } = input
  const account = await accountByKey(deps.database.sql, realm_id, email, deps.keys.hash(api_key))
  if (account === undefined) return { outcome: 'invalid', user: null, version: 0 }
  const { id, role, bot_type, version } = account
  const known = { user: { id, role, bot_type }, version }
  if (!account.realm_is_active) return { outcome: 'realm_deactivated', ...known }
  if (!account.is_active) return { outcome: 'user_deactivated', ...known }
  return { outcome: 'accepted', ...known }
})
