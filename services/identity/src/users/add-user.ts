import { roles } from '@parley/contracts'
import { addUser as contract } from '@parley/contracts/identity/user-administration'
import { realmHost } from '../realms/realm-address.ts'
import { lockAccounts, realmById } from '../realms/realm-store.ts'
import { endpoint } from '../room.ts'
import { createAccount } from './account-creation.ts'
import { actingUser } from './acting-user.ts'
import { demandWelcomeAddress } from './address-rules.ts'
import { demandUniqueName } from './unique-names.ts'
import { newAccountFinding } from './user-rules.ts'

export const addUser = endpoint(contract, async ({ caller, params, deps, transaction, refuse }) => {
  const realm_host = realmHost(deps.publicUrl, caller.realm.subdomain)
  const email = params.email.trim()
  const full_name = params.full_name.trim()
  const actor = await actingUser(deps.database.sql, caller, 'administrator')
  if (!actor.can_create_users) throw refuse('BAD_REQUEST', 'User not authorized to create users')
  const finding = newAccountFinding({ email, full_name, password: params.password }, realm_host)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  const realm = (await realmById(deps.database.sql, caller.realm.id))!
  await demandWelcomeAddress(deps.ask, realm, email)
  const password_hash = await deps.passwords.hash(params.password)
  return transaction(async (tx) => {
    await lockAccounts(tx.sql, caller.realm.id)
    await demandUniqueName(tx.sql, caller.realm.id, full_name)
    const made = await createAccount(tx, deps.keys, {
      realm_id: caller.realm.id,
      realm_host,
      email,
      full_name,
      role: roles.member,
      password_hash,
      awaits_first_log_in: true,
      arrival: { welcome_message_custom_text: null },
    })
    if (made === undefined) throw refuse('BAD_REQUEST', `Email '${email}' already in use`)
    return { user_id: made.user.id }
  })
})
