import { createUser as contract } from '@parley/contracts/identity/internals'
import { demandRealm } from '../realms/demand-realm.ts'
import { realmHost } from '../realms/realm-address.ts'
import { internal } from '../room.ts'
import { createAccount } from './account-creation.ts'
import { newAccountFinding } from './user-rules.ts'

export const createUser = internal(contract, async ({ input, deps, transaction, refuse }) => {
  const email = input.email.trim()
  const full_name = input.full_name.trim()
  const { password, role } = input
  const realm = await demandRealm(deps.database.sql, input.realm)
  const realm_host = realmHost(deps.publicUrl, realm.subdomain)
  const finding = newAccountFinding({ email, full_name, password }, realm_host)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)

  const password_hash = password === null ? null : await deps.passwords.hash(password)
  return transaction(async (tx) => {
    const made = await createAccount(tx, deps.keys, {
      realm_id: realm.id,
      realm_host,
      email,
      full_name,
      role,
      password_hash,
    })
    if (made === undefined) throw refuse('BAD_REQUEST', `Email '${email}' already in use`)
    return { user_id: made.user.id, email, api_key: made.apiKey }
  })
})
