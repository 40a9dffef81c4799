import { refuse } from '@parley/contracts'
import { takeNewAddress as contract } from '@parley/contracts/identity/account-links'
import { realmHost } from '../realms/realm-address.ts'
import { lockAccounts, realmById } from '../realms/realm-store.ts'
import { internal } from '../room.ts'
import { publishAccount } from './account-facts.ts'
import { demandFreeAddress } from './address-rules.ts'
import { isEmailPublic } from './email-visibility.ts'
import { announceUserForms } from './user-announcements.ts'
import { updateUser, userById } from './user-store.ts'

export const takeNewAddress = internal(contract, async ({ input, deps, transaction }) => {
  const { realm_id, user_id, old_email, new_email } = input
  await transaction(async (tx) => {
    await lockAccounts(tx.sql, realm_id)
    const realm = await realmById(tx.sql, realm_id)
    if (!realm?.is_active) throw refuse('REALM_DEACTIVATED', 'This organization has been deactivated')
    const before = await userById(tx.sql, realm_id, user_id)
    if (!before?.is_active || before.bot_type !== null) throw refuse('BAD_REQUEST', 'This link is not valid.')
    if (before.delivery_email === new_email) return
    // Who was given another address meanwhile does not want this one any more, or never did.
    if (before.delivery_email !== old_email) throw refuse('BAD_REQUEST', 'This link is not valid any more.')
    await demandFreeAddress(tx.sql, before, new_email, realmHost(deps.publicUrl, realm.subdomain))
    const user = await updateUser(tx.sql, realm_id, user_id, {
      delivery_email: new_email,
      ...(isEmailPublic(before) ? { email: new_email } : {}),
    })
    await publishAccount(tx, user)
    await announceUserForms(tx, before, user)
  })
  return {}
})
