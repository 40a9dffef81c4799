import { setPassword as contract } from '@parley/contracts/identity/account-links'
import { lockAccounts, realmById } from '../realms/realm-store.ts'
import { methodsInForce } from '../realms/settings-in-force.ts'
import { internal } from '../room.ts'
import { publishAccount } from '../users/account-facts.ts'
import { passwordFinding } from '../users/user-rules.ts'
import { updateUser, userById } from '../users/user-store.ts'
import { demandStrength } from './demand-strength.ts'
import { withNewPassword } from './new-password.ts'

/** The link proves who has the address: it is worth nothing once the account has another one. */
export const setPassword = internal(contract, async ({ input, deps, transaction, refuse }) => {
  const { realm_id, user_id, email, password } = input
  const { sql } = deps.database
  const realm = await realmById(sql, realm_id)
  if (!realm?.is_active) throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
  const holder = async (queries = sql as Parameters<typeof userById>[0]) => {
    const user = await userById(queries, realm_id, user_id)
    const isHolder = user?.is_active && user.bot_type === null && user.delivery_email === email
    if (!isHolder || !methodsInForce(realm).Email) throw refuse('BAD_REQUEST', 'This link is not valid.')
    return user
  }
  const { full_name } = await holder()
  const finding = passwordFinding(password)
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  demandStrength(password, [email, full_name, realm.name, realm.subdomain])
  const password_hash = await deps.passwords.hash(password)
  await transaction(async (tx) => {
    await lockAccounts(tx.sql, realm_id)
    await holder(tx.sql)
    const user = await updateUser(tx.sql, realm_id, user_id, withNewPassword(password_hash))
    await publishAccount(tx, user)
  })
  return {}
})
