/** Which organizations people may make by themselves; no I/O. */
import { addressFinding } from '../addresses/address-rules.ts'

/** Names by which a server is usually reached itself, or would be taken for its operators. */
const reserved = new Set(
  `about abuse account accounts admin administrator api app apps assets auth billing blog cdn chat dashboard dev docs
  download email events files ftp gateway git help host hostmaster imap info internal jobs join legal localhost login logout
  mail me mobile monitoring mx new news ns ns1 ns2 official ops pop postmaster press private public push realm register
  root security server signup sip smtp ssl staff staging static stats status support system team test uploads webhooks
  webmaster webmail wiki www`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

const leastSubdomainLength = 3

/** Whether everybody may make an organization: in development, elsewhere only where an operator said so. */
export const isFoundingOpen = (config: {
  readonly MODE: 'development' | 'production'
  readonly OPEN_REALM_CREATION?: boolean | undefined
}): boolean => config.OPEN_REALM_CREATION ?? config.MODE === 'development'

/** The rules of an organization that has not chosen any. */
const addressRules = { emails_restricted_to_domains: false, disallow_disposable_email_addresses: true }

/** What is wrong with what somebody wants, as a sentence; identity judges what holds for all organizations. */
export const foundingFinding = (wish: { subdomain: string; email: string }): string | undefined => {
  const subdomain = wish.subdomain.trim().toLowerCase()
  if (subdomain === '') return 'Choose the address of your organization.'
  if (subdomain.length < leastSubdomainLength) {
    return `The address needs at least ${leastSubdomainLength} characters.`
  }
  if (reserved.has(subdomain)) return `The address '${subdomain}' is reserved.`
  return addressFinding(wish.email, addressRules, [])
}
