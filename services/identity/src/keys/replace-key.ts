import type { AnyEvent } from '@parley/contracts'
import type { Tx } from '@parley/kit'
import { publishAccount } from '../users/account-facts.ts'
import { type UserRow, updateUser } from '../users/user-store.ts'
import type { ApiKeys } from './api-keys.ts'

/**
 * Gives an account a new key; the old one, and what was opened with it, ends when the account's fact arrives. To be called
 * under `lockAccounts`, the account read there: two keys of one version would both open.
 */
export const replaceKey = async <Events extends AnyEvent>(
  tx: Tx<Events>,
  keys: ApiKeys,
  account: UserRow,
): Promise<string> => {
  const apiKey = keys.generate()
  const user = await updateUser(tx.sql, account.realm_id, account.id, {
    api_key_hash: keys.hash(apiKey),
    api_key_encrypted: keys.encrypt(apiKey),
    key_version: account.key_version + 1,
  })
  await publishAccount(tx, user)
  return apiKey
}
