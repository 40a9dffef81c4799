/** Which e-mail addresses an organization takes; no I/O. */
import { domainToASCII } from 'node:url'
import { isEmailAddress } from '@parley/contracts/objects/email-address'
import type { RealmDomain } from '@parley/contracts/objects/realm-domain'
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js'

export interface AddressSettings {
  readonly emails_restricted_to_domains: boolean
  readonly disallow_disposable_email_addresses: boolean
}

const disposable = disposableEmailBlocklistSet()

const isWithin = (host: string, { domain, allow_subdomains }: RealmDomain): boolean =>
  host === domain || (allow_subdomains && host.endsWith(`.${domain}`))

/** A throw-away provider's domain, or one below it. */
const isDisposable = (host: string): boolean => {
  const labels = host.split('.')
  return labels.some((_, index) => disposable.has(labels.slice(index).join('.')))
}

/** What is wrong with an address for somebody who joins, as a sentence; undefined when nothing is. */
export const addressFinding = (
  email: string,
  settings: AddressSettings,
  domains: readonly RealmDomain[],
): string | undefined => {
  if (!isEmailAddress(email)) return 'Enter a valid email address.'
  const at = email.lastIndexOf('@')
  const host = domainToASCII(email.slice(at + 1)).toLowerCase()
  if (settings.emails_restricted_to_domains) {
    if (!domains.some((domain) => isWithin(host, domain))) {
      return 'This organization only takes addresses of its own domains.'
    }
    // Everybody could make any number of these from one address, also after leaving.
    if (email.slice(0, at).includes('+')) return "This organization does not take addresses that contain '+'."
  }
  if (settings.disallow_disposable_email_addresses && isDisposable(host)) {
    return 'This organization does not take addresses of disposable mail providers.'
  }
  return undefined
}
