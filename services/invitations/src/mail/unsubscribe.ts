import {
  showUnsubscribing as showContract,
  unsubscribe as unsubscribeContract,
} from '@parley/contracts/invitations/mail'
import { html, page } from '../pages/page.ts'
import { endpoint } from '../room.ts'
import { noteUnsubscribed } from './mail-store.ts'
import { isUnsubscribeKey } from './unsubscribe-link.ts'

const invalid = () => page('This link is not valid', html`<p>Use the link as it stands in the mail.</p>`, 404)

/** Asks first: programs that look at links in mail must not unsubscribe anybody. */
export const showUnsubscribing = endpoint(showContract, async ({ caller, params, deps }) => {
  const { email, key } = params
  if (!isUnsubscribeKey(deps.keys, caller.realm.id, email, key)) return invalid()
  return page(
    'No more invitations?',
    html`<form method="post" action="/unsubscribe">
<p>${email} gets no more invitations from ${new URL(caller.realm.url).host}.</p>
<input type="hidden" name="email" value="${email}">
<input type="hidden" name="key" value="${key}">
<button type="submit">No more invitations</button>
</form>`,
  )
})

export const unsubscribe = endpoint(unsubscribeContract, async ({ caller, params, deps, transaction }) => {
  const { email, key } = params
  if (!isUnsubscribeKey(deps.keys, caller.realm.id, email, key)) return invalid()
  await transaction((tx) => noteUnsubscribed(tx.sql, caller.realm.id, email))
  return page('Done', html`<p>${email} gets no more invitations from here.</p>`)
})
