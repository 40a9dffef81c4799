/** Which URLs may be called, as far as the URL itself says; no I/O. */
import { isIP } from 'node:net'
import type { Network, PortRange } from '../config.ts'
import { isCallable, isInNetworks } from './address-rules.ts'

export interface TargetRules {
  readonly networks: readonly Network[]
  readonly ports: readonly PortRange[]
}

/** Above 1023 and yet not for HTTP: databases, brokers, control planes, and what browsers refuse (Fetch, "bad port"). */
const foreignPorts = new Set([
  1080, 1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 3659, 4045, 4190, 5060,
  5061, 5432, 5672, 5900, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092,
  9200, 9300, 10080, 10250, 10255, 11211, 27017,
])

/** The host as sockets take it: without the brackets of IPv6. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)

const isPortAllowed = (port: number, { ports }: TargetRules): boolean =>
  !foreignPorts.has(port) && ports.some(([first, last]) => port >= first && port <= last)

/**
 * What forbids calling a URL, as a sentence for the bot's owner; undefined when nothing does as far as it can be seen
 * without asking for the host's addresses. Spellings of addresses (`0x7f.1`, `2130706433`) were made plain by the
 * parser of URLs.
 */
export const targetFinding = (text: string, rules: TargetRules): string | undefined => {
  const url = URL.parse(text)
  if (url === null) return 'The URL cannot be read.'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Only http and https URLs are called.'
  if (url.username !== '' || url.password !== '') return 'A URL with a user name or password is not called.'
  const host = hostOf(url)
  const isAddress = isIP(host) !== 0
  if (isAddress && !isCallable(host, rules.networks)) return 'The address in the URL is not a public one.'
  const isOpened = isAddress && isInNetworks(host, rules.networks)
  if (!isOpened && !isPortAllowed(portOf(url), rules)) return 'The port in the URL may not be called.'
  return undefined
}
