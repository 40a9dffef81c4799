import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Network } from '../config.ts'
import { isCallable } from './address-rules.ts'

/** No address that may be called was found. One error for all reasons, so that nobody can ask what names mean inside. */
export class UnreachableName extends Error {
  constructor() {
    super('The host name leads to no address that may be called.')
  }
}

interface FoundAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Finds where a host is. */
export type Resolve = (host: string) => Promise<FoundAddress[]>

/** RFC 6761: these names are loopback everywhere, and are asked of nobody. */
const isLocalhost = (host: string): boolean => /(?:^|\.)localhost\.?$/i.test(host)

const loopback: FoundAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Resolves hosts to addresses that may be called. A name of which any address is forbidden is not called at all. DNS is
 * asked directly, not through the system's resolver, whose few threads a slow name would block for everybody.
 *
 * @returns a function that throws UnreachableName.
 */
export const resolver = (options: {
  networks: readonly Network[]
  servers?: readonly string[] | undefined
}): Resolve => {
  const dns = new Resolver({ timeout: 1500, tries: 2 })
  if (options.servers !== undefined) dns.setServers(options.servers)

  const ask = async (host: string): Promise<FoundAddress[]> => {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family: family as 4 | 6 }]
    if (isLocalhost(host)) return loopback
    const [four, six] = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)])
    return [
      ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 as const })),
      ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 as const })),
    ]
  }

  return async (host) => {
    const found = await ask(host)
    const isFine = found.length > 0 && found.every(({ address }) => isCallable(address, options.networks))
    if (!isFine) throw new UnreachableName()
    return found
  }
}
