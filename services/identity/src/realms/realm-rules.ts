import { limits } from '@parley/contracts'
import { codePoints } from '@parley/contracts/objects/values'

/** A label of a host name (RFC 1035), in lower case. */
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Whether an organization can be at this subdomain; the empty one is the root host. */
export const isSubdomain = (subdomain: string): boolean => subdomain === '' || label.test(subdomain)

/** What is wrong with an organization's name, which is to be trimmed already; undefined when nothing is. */
export const realmNameFinding = (name: string): string | undefined => {
  if (name === '') return 'The organization needs a name.'
  if (codePoints(name) > limits.maxRealmNameLength) {
    return `The organization's name is too long (limit: ${limits.maxRealmNameLength} characters).`
  }
  return /\p{Cc}/u.test(name) ? "The organization's name holds invalid characters." : undefined
}
