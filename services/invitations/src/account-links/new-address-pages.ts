import { takeNewAddress } from '@parley/contracts/identity/account-links'
import {
  confirmNewAddress as confirmContract,
  showNewAddress as showContract,
} from '@parley/contracts/invitations/account-links'
import { inTransaction } from '@parley/kit'
import { insertMails } from '../mail/mail-store.ts'
import { html, page } from '../pages/page.ts'
import { refusalPage } from '../pages/refusal-page.ts'
import { endpoint } from '../room.ts'
import { openLink } from './account-link.ts'
import { useLink } from './link-store.ts'

/** Asks first: programs that look at links in mail must not change anything. */
export const showNewAddress = endpoint(showContract, async ({ caller, params, deps }) => {
  try {
    const { old_email, new_email } = await openLink(deps, caller.realm, 'new_address', params.key)
    return page(
      'Your new address',
      html`<form method="post" action="/accounts/confirm_new_email">
<p>The account of ${old_email} gets the address <strong>${new_email!}</strong>.</p>
<input type="hidden" name="key" value="${params.key}">
<button type="submit">Use this address</button>
</form>`,
    )
  } catch (error) {
    return refusalPage(error)
  }
})

/** Identity is asked before the link counts as used: repeated, it finds the address there already. */
export const confirmNewAddress = endpoint(confirmContract, async ({ caller, params, deps }) => {
  try {
    const { id, realm_id, user_id, old_email, new_email } = await openLink(
      deps,
      caller.realm,
      'new_address',
      params.key,
    )
    await deps.ask(takeNewAddress, { realm_id, user_id, old_email, new_email: new_email! })
    await inTransaction(deps.database, async (tx) => {
      if (!(await useLink(tx.sql, id))) return
      const notice = { realm_id, kind: 'address_changed', recipient: old_email, subject_id: null } as const
      await insertMails(tx.sql, [{ ...notice, note: new_email }])
      tx.afterCommit(deps.mailer.wake)
    })
    return page('Done', html`<p>Your account has the address <strong>${new_email!}</strong> now.</p>`)
  } catch (error) {
    return refusalPage(error)
  }
})
