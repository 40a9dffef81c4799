import { type CallerRealm, noRealm } from '@parley/contracts'
import {
  listCapturedMail as listContract,
  showCapturedMail as showContract,
} from '@parley/contracts/invitations/mail'
import { Html, html, page } from '../pages/page.ts'
import { endpoint } from '../room.ts'
import { escapeHtml } from './html.ts'
import { capturedMails } from './mail-store.ts'

const newest = 50

/** At the root host also what is of no organization. */
const shownOf = ({ id, subdomain }: CallerRealm): number[] => (subdomain === '' ? [id, noRealm] : [id])

const notHere = 'Mail is only shown in development mode.'

export const listCapturedMail = endpoint(listContract, async ({ caller, deps, refuse }) => {
  if (!deps.isDevelopment) throw refuse('RESOURCE_NOT_FOUND', notHere)
  return { mails: await capturedMails(deps.database.sql, shownOf(caller.realm), newest) }
})

/** Addresses in our own mail stand alone on their lines. */
const withLinks = (text: string): Html =>
  new Html(escapeHtml(text).replace(/^https?:\/\/\S+$/gm, (url) => `<a href="${url}">${url}</a>`))

export const showCapturedMail = endpoint(showContract, async ({ caller, deps, refuse }) => {
  if (!deps.isDevelopment) throw refuse('RESOURCE_NOT_FOUND', notHere)
  const mails = await capturedMails(deps.database.sql, shownOf(caller.realm), newest)
  const shown = mails.map(
    ({ to, subject, text, written }) => html`<article>
<h2>${subject}</h2>
<p>To ${to}, ${new Date(written * 1000).toISOString()}</p>
<pre>${withLinks(text)}</pre>
</article>`,
  )
  const content = shown.length === 0 ? html`<p>There is none yet.</p>` : html`${shown}`
  return page('Captured mail', content)
})
