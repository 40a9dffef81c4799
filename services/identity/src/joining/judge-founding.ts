import { judgeFounding as contract } from '@parley/contracts/identity/founding'
import { demandStrength } from '../passwords/demand-strength.ts'
import { demandFreeSubdomain, demandRealmWish } from '../realms/make-realm.ts'
import { realmHost } from '../realms/realm-address.ts'
import { internal } from '../room.ts'
import { newAccountFinding } from '../users/user-rules.ts'

export const judgeFounding = internal(contract, async ({ input, deps, refuse }) => {
  const { subdomain, name: realm_name } = demandRealmWish({
    subdomain: input.subdomain,
    name: input.realm_name,
  })
  await demandFreeSubdomain(deps.database.sql, subdomain)
  if (input.founder === null) return { subdomain, realm_name, password_hash: null }
  const { email, password } = input.founder
  const full_name = input.founder.full_name.trim()
  const finding = newAccountFinding({ email, full_name, password }, realmHost(deps.publicUrl, subdomain))
  if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
  demandStrength(password, [email, full_name, realm_name, subdomain])
  return { subdomain, realm_name, password_hash: await deps.passwords.hash(password) }
})
