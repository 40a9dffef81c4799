import { findPasswordHolder as contract } from '@parley/contracts/identity/account-links'
import { realmById } from '../realms/realm-store.ts'
import { methodsInForce } from '../realms/settings-in-force.ts'
import { internal } from '../room.ts'
import { accountByDeliveryEmail } from '../users/credential-store.ts'

export const findPasswordHolder = internal(contract, async ({ input, deps }) => {
  const { sql } = deps.database
  const realm = await realmById(sql, input.realm_id)
  if (!realm?.is_active || !methodsInForce(realm).Email) return { user: null }
  const account = await accountByDeliveryEmail(sql, realm.id, input.email.trim())
  if (!account?.is_active || account.bot_type !== null) return { user: null }
  return { user: { id: account.id, delivery_email: account.delivery_email } }
})
