import { showApiKey as contract } from '@parley/contracts/identity/internals'
import { demandRealm } from '../realms/demand-realm.ts'
import { internal } from '../room.ts'
import { demandAccount } from '../users/demand-account.ts'

export const showApiKey = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const realm = await demandRealm(sql, input.realm)
  const account = await demandAccount(sql, realm.id, input.email)
  const api_key = deps.keys.decrypt(account.api_key_encrypted, account.api_key_hash)
  return { user_id: account.id, email: account.delivery_email, api_key }
})
