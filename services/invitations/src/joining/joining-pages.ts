import { ApiError, limits } from '@parley/contracts'
import {
  askForConfirmation as askContract,
  register as registerContract,
  showJoiningPage as showContract,
  showRegisterPage as showRegisterContract,
} from '@parley/contracts/invitations/joining'
import { StreamedReply } from '@parley/kit'
import { type Html, html, page, problem } from '../pages/page.ts'
import { refusalPage as refused } from '../pages/refusal-page.ts'
import { endpoint } from '../room.ts'
import { demandWelcome, findEntrance } from './entrance.ts'
import { letIn } from './let-in.ts'
import { sendConfirmation } from './send-confirmation.ts'

/** For the gateway, which takes it away: whose session the browser gets. */
const sessionHeader = 'x-parley-session-user'

const addressForm = (
  key: string | undefined,
  email: string,
): Html => html`<form method="post" action="/accounts/confirm">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required value="${email}">
<p class="hint">You get a mail with a link to go on.</p>
${key === undefined ? html`` : html`<input type="hidden" name="key" value="${key}">`}
<button type="submit">Continue</button>
</form>`

const accountForm = (
  key: string,
  email: string,
  fullName: string,
): Html => html`<form method="post" action="/accounts/register">
<input type="hidden" name="key" value="${key}">
<label for="email">E-mail address</label>
<input id="email" type="email" autocomplete="username" readonly value="${email}">
<label for="full_name">Your name</label>
<input id="full_name" name="full_name" autocomplete="name" required maxlength="${limits.maxFullNameLength}" value="${fullName}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${limits.minPasswordLength}" maxlength="${limits.maxPasswordLength}" aria-describedby="password-hint">
<p class="hint" id="password-hint">Long and hard to guess: several words that do not belong together are good.</p>
<button type="submit">Join</button>
</form>`

const refusalPage = (error: unknown): StreamedReply => refused(error, 'You cannot join like this')

export const showJoiningPage = endpoint(showContract, async ({ caller, params, deps }) => {
  try {
    const { invitation, email } = await findEntrance(deps, caller.realm, params.key)
    const { realm } = await demandWelcome(deps, caller.realm.id, invitation)
    const form = email === null ? addressForm(params.key, '') : accountForm(params.key, email, '')
    return page(`Join ${realm.name}`, form)
  } catch (error) {
    return refusalPage(error)
  }
})

export const showRegisterPage = endpoint(showRegisterContract, async ({ caller, deps }) => {
  try {
    const { realm } = await demandWelcome(deps, caller.realm.id, undefined)
    return page(`Join ${realm.name}`, addressForm(undefined, ''))
  } catch (error) {
    return refusalPage(error)
  }
})

export const askForConfirmation = endpoint(askContract, async ({ caller, params, deps }) => {
  const key = params.key === '' ? undefined : params.key
  try {
    await sendConfirmation(deps, caller.realm, { email: params.email, key })
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== 'BAD_REQUEST') return refusalPage(error)
    return page('Join', html`${problem(error.message)}${addressForm(key, params.email)}`, error.status)
  }
  return page(
    'Look into your mail',
    html`<p>There is a mail on its way to ${params.email}. The link in it leads on.</p>`,
  )
})

export const register = endpoint(registerContract, async ({ caller, params, deps }) => {
  const { key, full_name } = params
  let email: string | null
  try {
    const entrance = await findEntrance(deps, caller.realm, key)
    email = entrance.email
  } catch (error) {
    return refusalPage(error)
  }
  try {
    const { user_id } = await letIn(deps, caller.realm, params)
    const done = page(
      'Welcome',
      html`<p>Your account is made. Log in with any client: the server is <strong>${caller.realm.url}</strong>, your name there is <strong>${email ?? ''}</strong>.</p>`,
    )
    return new StreamedReply(done.status, { ...done.headers, [sessionHeader]: String(user_id) }, done.content)
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== 'BAD_REQUEST' || email === null)
      return refusalPage(error)
    return page('Join', html`${problem(error.message)}${accountForm(key, email, full_name)}`, error.status)
  }
})
