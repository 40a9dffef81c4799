import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { z } from 'zod'

/** Networks whose word on the address of a client is taken: `10.0.0.0/8,::1`. */
export const networksSetting = z.string().transform((text, context): BlockList => {
  const list = new BlockList()
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue
    const [address = '', bits, ...rest] = part.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    const length = bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits)
    if (
      rest.length > 0 ||
      isIP(address) === 0 ||
      !Number.isInteger(length) ||
      length < 0 ||
      length > (family === 'ipv6' ? 128 : 32)
    ) {
      context.addIssue({ code: 'custom', message: `"${part}" is not a network such as 10.0.0.0/8` })
      return z.NEVER
    }
    list.addSubnet(address, length, family)
  }
  return list
})

/** IPv4 inside IPv6 is written as IPv4. */
const plain = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address

const isTrusted = (trusted: BlockList, address: string): boolean =>
  trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/**
 * Where a request came from: the last hop that no trusted proxy vouches for. What stands further left in
 * X-Forwarded-For may be anybody's invention.
 */
export const clientAddress = (request: IncomingMessage, trusted: BlockList): string => {
  let address = plain(request.socket.remoteAddress ?? '')
  const forwarded = request.headers['x-forwarded-for']
  if (forwarded === undefined || !isTrusted(trusted, address)) return address
  const hops = String(forwarded).split(',')
  for (const hop of hops.toReversed()) {
    const named = plain(hop.trim())
    if (isIP(named) === 0) return address
    address = named
    if (!isTrusted(trusted, address)) return address
  }
  return address
}

/** What limits count together: an IPv4 address, or the /64 that one IPv6 client commonly has to itself. */
export const countedAddress = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.split('::')
  const left = head.split(':').filter((group) => group !== '')
  const right = tail.split(':').filter((group) => group !== '')
  const zeros = address.includes('::') ? Array(Math.max(0, 8 - left.length - right.length)).fill('0') : []
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
