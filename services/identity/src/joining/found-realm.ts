import { roles } from '@parley/contracts'
import { foundRealm as contract } from '@parley/contracts/identity/founding'
import { demandRealmWish, makeRealm } from '../realms/make-realm.ts'
import { realmHost, realmUrl } from '../realms/realm-address.ts'
import { realmById } from '../realms/realm-store.ts'
import { internal } from '../room.ts'
import { createAccount } from '../users/account-creation.ts'
import { newAccountFinding } from '../users/user-rules.ts'
import { madeBefore, noteMade } from './made-before.ts'

/** Organization and owner come into being together: there is never one without the other. */
export const foundRealm = internal(contract, async ({ input, deps, transaction, refuse }) => {
  const wish = demandRealmWish({ subdomain: input.subdomain, name: input.realm_name })
  const { email, password_hash } = input.founder
  const full_name = input.founder.full_name.trim()
  const realm_host = realmHost(deps.publicUrl, wish.subdomain)
  return transaction(async (tx) => {
    const before = await madeBefore(tx.sql, input.name)
    if (before !== undefined) {
      const { subdomain } = (await realmById(tx.sql, before.realm_id))!
      return { ...before, url: realmUrl(deps.publicUrl, subdomain) }
    }
    const finding = newAccountFinding({ email, full_name, password: null }, realm_host)
    if (finding !== undefined) throw refuse('BAD_REQUEST', finding)
    const { id: realm_id, subdomain } = await makeRealm(tx, wish)
    const made = await createAccount(tx, deps.keys, {
      realm_id,
      realm_host,
      email,
      full_name,
      role: roles.owner,
      password_hash,
      arrival: { welcome_message_custom_text: null },
    })
    const user_id = made!.user.id
    await noteMade(tx.sql, input.name, user_id)
    return { realm_id, user_id, url: realmUrl(deps.publicUrl, subdomain) }
  })
})
