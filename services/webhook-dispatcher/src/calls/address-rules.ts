/** Which addresses may be called; no I/O. */
import ipaddr from 'ipaddr.js'
import type { Network } from '../config.ts'

/**
 * Public as far as the registries go, and yet not: addresses at which clouds answer their own machines only, with
 * secrets. (Those of the others are link-local, carrier-grade or unique-local.)
 */
const cloudInternal = ['168.63.129.16'].map((address) => ipaddr.parse(address).toNormalizedString())

const globalUnicast = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

/** ISATAP (RFC 5214): an IPv4 address is in the last 32 bits. */
const isTunnelledInInterface = ({ parts }: ipaddr.IPv6): boolean =>
  (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean => {
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return !cloudInternal.includes(address.toNormalizedString())
  return address.match(globalUnicast) && !isTunnelledInInterface(address)
}

/** The address itself: IPv4 that was written as IPv6 is IPv4. Undefined when it is no address. */
const parsed = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.isValid(text) ? ipaddr.process(text) : undefined

/** Whether the operator opened the network that an address is in. */
export const isInNetworks = (text: string, networks: readonly Network[]): boolean => {
  const address = parsed(text)
  if (address === undefined) return false
  return networks.some(
    ([network, prefix]) => network.kind() === address.kind() && address.match(network as never, prefix),
  )
}

/**
 * Whether a receiver may be at an address: a public one, or one that the operator opened. Loopback, private, link-local,
 * carrier-grade, multicast, reserved ones, and all forms of IPv6 that hide another address, are nobody's to call.
 */
export const isCallable = (text: string, allowed: readonly Network[]): boolean => {
  const address = parsed(text)
  return address !== undefined && (isInNetworks(text, allowed) || isPublic(address))
}
