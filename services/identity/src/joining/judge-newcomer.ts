import { judgeNewcomer as contract } from '@parley/contracts/identity/joining'
import { demandStrength } from '../passwords/demand-strength.ts'
import { realmHost } from '../realms/realm-address.ts'
import { realmById } from '../realms/realm-store.ts'
import { internal } from '../room.ts'
import { newAccountFinding } from '../users/user-rules.ts'
import { usersByEmail } from '../users/user-store.ts'

export const judgeNewcomer = internal(contract, async ({ input, deps, refuse }) => {
  const { sql } = deps.database
  const { realm_id, email, full_name, password } = input
  const realm = await realmById(sql, realm_id)
  if (!realm?.is_active) throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
  const finding = newAccountFinding(
    { email, full_name: full_name.trim(), password },
    realmHost(deps.publicUrl, realm.subdomain),
  )
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  demandStrength(password, [email, full_name, realm.name, realm.subdomain])
  if ((await usersByEmail(sql, realm_id, [email])).length > 0) {
    throw refuse('BAD_REQUEST', `Email '${email}' already in use`)
  }
  return { password_hash: await deps.passwords.hash(password) }
})
