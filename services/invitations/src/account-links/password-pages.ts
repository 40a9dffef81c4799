import { ApiError, limits } from '@parley/contracts'
import { findPasswordHolder, setPassword } from '@parley/contracts/identity/account-links'
import {
  askForPasswordReset as askContract,
  setNewPassword as setContract,
  showNewPassword as showContract,
  showPasswordReset as showFormContract,
} from '@parley/contracts/invitations/account-links'
import { inTransaction } from '@parley/kit'
import { demandMail } from '../invites/demand-mail.ts'
import { type Html, html, page, problem } from '../pages/page.ts'
import { refusalPage } from '../pages/refusal-page.ts'
import { endpoint } from '../room.ts'
import { mailLink, openLink } from './account-link.ts'
import { useLink } from './link-store.ts'

/** Whose link nobody gets. */
const nobody = 0

const addressForm = html`<form method="post" action="/accounts/password/reset">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required>
<p class="hint">You get a mail with a link by which you set a new password.</p>
<button type="submit">Send the link</button>
</form>`

const passwordForm = (
  key: string,
  email: string,
): Html => html`<form method="post" action="/accounts/password/change">
<input type="hidden" name="key" value="${key}">
<label for="email">E-mail address</label>
<input id="email" type="email" autocomplete="username" readonly value="${email}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${limits.minPasswordLength}" maxlength="${limits.maxPasswordLength}">
<button type="submit">Set the password</button>
</form>`

export const showPasswordReset = endpoint(showFormContract, async () => page('A new password', addressForm))

/**
 * Who asks does not learn whether the address has an account: a mail is written for one without, too, which is dropped
 * when it is to be sent.
 */
export const askForPasswordReset = endpoint(askContract, async ({ caller, params, deps }) => {
  try {
    demandMail(deps)
    const { user } = await deps.ask(findPasswordHolder, { realm_id: caller.realm.id, email: params.email })
    await inTransaction(deps.database, async (tx) => {
      const user_id = user?.id ?? nobody
      const old_email = user?.delivery_email ?? params.email
      const wish = { realm_id: caller.realm.id, user_id, old_email, new_email: null }
      await mailLink(tx.sql, deps.keys, { ...wish, kind: 'password_reset' })
      tx.afterCommit(deps.mailer.wake)
    })
    return page(
      'Look into your mail',
      html`<p>If ${params.email} has an account here that logs in by a password, there is a mail on its way.</p>`,
    )
  } catch (error) {
    return refusalPage(error)
  }
})

export const showNewPassword = endpoint(showContract, async ({ caller, params, deps }) => {
  try {
    const { old_email } = await openLink(deps, caller.realm, 'password_reset', params.key)
    return page('A new password', passwordForm(params.key, old_email))
  } catch (error) {
    return refusalPage(error)
  }
})

export const setNewPassword = endpoint(setContract, async ({ caller, params, deps }) => {
  const { key, password } = params
  try {
    const { id, realm_id, user_id, old_email } = await openLink(deps, caller.realm, 'password_reset', key)
    try {
      await deps.ask(setPassword, { realm_id, user_id, email: old_email, password })
    } catch (error) {
      if (!(error instanceof ApiError) || error.error !== 'BAD_REQUEST') throw error
      const again = html`${problem(error.message)}${passwordForm(key, old_email)}`
      return page('A new password', again, error.status)
    }
    await useLink(deps.database.sql, id)
    return page('Done', html`<p>Your new password is set. Log in with any client.</p>`)
  } catch (error) {
    return refusalPage(error)
  }
})
