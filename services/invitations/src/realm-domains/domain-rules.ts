import { domainToASCII } from 'node:url'
import { parse } from 'tldts'

/** Characters of a name in DNS, and of a label in it. */
const maxDomainLength = 253
const maxLabelLength = 63

/** What a domain is stored and compared as: lower case, in ASCII; undefined when the text is no host name. */
const asciiDomain = (text: string): string | undefined => {
  const trimmed = text.trim()
  // The URL parser would cut off, decode or drop these instead of refusing them.
  if (/[\s%/\\@:?#[\]]/u.test(trimmed)) return undefined
  return domainToASCII(trimmed) || undefined
}

/** The domain under which an entry is looked for: what can't be a domain is looked for as it is, and not found. */
export const domainKey = (text: string): string => asciiDomain(text) ?? text

const labelFinding = (label: string): string | undefined => {
  if (label === '') return 'Domain cannot start or end with a dot, or have two in a row.'
  if (label.length > maxLabelLength) return 'Domain is too long.'
  if (label.startsWith('-') || label.endsWith('-')) return "Parts of a domain cannot start or end with a '-'."
  return /^[a-z0-9-]+$/.test(label) ? undefined : 'Domain can only have letters, numbers, dots and hyphens.'
}

/**
 * What is wrong with allowing a domain (in the form of `domainKey`), as a sentence for the client. Public suffixes
 * (`com`, `co.uk`) belong to everybody; suffixes that a company gives names below (`github.io`) are its own, but all
 * names below them are not.
 */
export const domainFinding = (domain: string, allowSubdomains: boolean): string | undefined => {
  if (domain.trim() === '') return "Domain can't be empty."
  if (domain.length > maxDomainLength) return 'Domain is too long.'
  const labels = domain.split('.')
  for (const label of labels) {
    const finding = labelFinding(label)
    if (finding !== undefined) return finding
  }
  if (labels.length < 2) return 'Domain must have at least one dot.'
  if (/^[0-9]+$/.test(labels.at(-1)!)) return 'Domain cannot be an IP address.'
  return suffixFinding(domain, allowSubdomains)
}

/** The part of `domainFinding` that also depends on whether subdomains are allowed. */
export const suffixFinding = (domain: string, allowSubdomains: boolean): string | undefined => {
  const { publicSuffix, isIcann, isPrivate } = parse(domain, { allowPrivateDomains: true })
  if (publicSuffix !== domain) return undefined
  if (isIcann === true) return 'Anybody can have an address below this domain.'
  return isPrivate === true && allowSubdomains ? 'Anybody can have a subdomain of this domain.' : undefined
}
