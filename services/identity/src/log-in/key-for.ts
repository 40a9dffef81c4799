import { refuse } from '@parley/contracts'
import type { ApiKeys } from '../keys/api-keys.ts'
import type { AccountWithSecrets } from '../users/credential-store.ts'

/**
 * What a successful log-in answers. To be called once the person is known to be the account's owner.
 *
 * @throws ApiError REALM_DEACTIVATED, USER_DEACTIVATED
 */
export const keyFor = (
  account: AccountWithSecrets,
  keys: ApiKeys,
): { api_key: string; email: string; user_id: number } => {
  if (!account.realm_is_active) {
    throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
  }
  if (!account.is_active) throw refuse('USER_DEACTIVATED', 'Account is deactivated')
  return {
    api_key: keys.decrypt(account.api_key_encrypted, account.api_key_hash),
    email: account.delivery_email,
    user_id: account.id,
  }
}
