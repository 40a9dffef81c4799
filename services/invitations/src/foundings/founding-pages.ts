import { ApiError, limits } from '@parley/contracts'
import {
  askForNewRealm as askContract,
  foundNewRealm as foundContract,
  showNewRealmPage as showContract,
  showFounderPage as showFounderContract,
} from '@parley/contracts/invitations/foundings'
import type { StreamedReply } from '@parley/kit'
import { type Html, html, page, problem } from '../pages/page.ts'
import { type Deps, endpoint } from '../room.ts'
import { askToFound } from './ask-to-found.ts'
import { demandFounding, found } from './found.ts'

const title = 'Create an organization'

/** What is answered instead of all pages where nobody may make an organization; undefined where everybody may. */
const closedPage = (
  { isFoundingOpen, publicUrl }: Deps,
  realm: { readonly subdomain: string },
): StreamedReply | undefined => {
  if (!isFoundingOpen) {
    return page(title, html`<p>On this server, organizations are created by those who run it.</p>`, 403)
  }
  if (realm.subdomain === '') return undefined
  return page(
    title,
    html`<p>Organizations are created at <a href="${publicUrl}/new/">${publicUrl}/new/</a>.</p>`,
    404,
  )
}

const wishForm = (
  publicUrl: string,
  { realm_name, subdomain, email }: { realm_name: string; subdomain: string; email: string },
): Html => html`<form method="post" action="/new/">
<label for="realm_name">Name of the organization</label>
<input id="realm_name" name="realm_name" autocomplete="organization" required maxlength="${limits.maxRealmNameLength}" value="${realm_name}">
<label for="subdomain">Address</label>
<input id="subdomain" name="subdomain" autocapitalize="none" spellcheck="false" required minlength="3" maxlength="63" pattern="[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?" value="${subdomain}" aria-describedby="subdomain-hint">
<p class="hint" id="subdomain-hint">Letters, digits and hyphens; what is before .${new URL(publicUrl).host}</p>
<label for="email">Your e-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required value="${email}" aria-describedby="email-hint">
<p class="hint" id="email-hint">You get a mail with a link to go on.</p>
<button type="submit">Continue</button>
</form>`

const founderForm = (
  key: string,
  email: string,
  fullName: string,
): Html => html`<form method="post" action="/new/${encodeURIComponent(key)}/">
<label for="email">E-mail address</label>
<input id="email" type="email" autocomplete="username" readonly value="${email}">
<label for="full_name">Your name</label>
<input id="full_name" name="full_name" autocomplete="name" required maxlength="${limits.maxFullNameLength}" value="${fullName}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${limits.minPasswordLength}" maxlength="${limits.maxPasswordLength}" aria-describedby="password-hint">
<p class="hint" id="password-hint">Long and hard to guess: several words that do not belong together are good.</p>
<button type="submit">Create</button>
</form>`

/** A page for what is in the way, with the form again where that helps; what nobody foresaw is not for it to hide. */
const refusalPage = (error: unknown, form?: Html): StreamedReply => {
  if (!(error instanceof ApiError)) throw error
  const again = form !== undefined && error.error === 'BAD_REQUEST' ? form : html``
  return page(title, html`${problem(error.message)}${again}`, error.status)
}

export const showNewRealmPage = endpoint(
  showContract,
  async ({ caller, deps }) =>
    closedPage(deps, caller.realm) ??
    page(title, wishForm(deps.publicUrl, { realm_name: '', subdomain: '', email: '' })),
)

export const askForNewRealm = endpoint(askContract, async ({ caller, params, deps }) => {
  const closed = closedPage(deps, caller.realm)
  if (closed !== undefined) return closed
  try {
    await askToFound(deps, params)
  } catch (error) {
    return refusalPage(error, wishForm(deps.publicUrl, params))
  }
  return page(
    'Look into your mail',
    html`<p>There is a mail on its way to ${params.email}. The link in it leads on.</p>`,
  )
})

export const showFounderPage = endpoint(showFounderContract, async ({ caller, params, deps }) => {
  const closed = closedPage(deps, caller.realm)
  if (closed !== undefined) return closed
  try {
    const { realm_name, email } = await demandFounding(deps, params.key)
    return page(`Create ${realm_name}`, founderForm(params.key, email, ''))
  } catch (error) {
    return refusalPage(error)
  }
})

export const foundNewRealm = endpoint(foundContract, async ({ caller, params, deps }) => {
  const closed = closedPage(deps, caller.realm)
  if (closed !== undefined) return closed
  const { key, full_name } = params
  let email: string
  try {
    email = (await demandFounding(deps, key)).email
  } catch (error) {
    return refusalPage(error)
  }
  try {
    const { url } = await found(deps, params)
    return page(
      'Welcome',
      html`<p>Your organization is at <a href="${url}">${url}</a>. Log in with any client: the server is <strong>${url}</strong>, your name there is <strong>${email}</strong>.</p>`,
    )
  } catch (error) {
    return refusalPage(error, founderForm(key, email, full_name))
  }
})
