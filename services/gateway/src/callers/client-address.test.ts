import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { clientAddress, countedAddress, networksSetting } from './client-address.ts'

const from = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

describe('clientAddress', () => {
  const trusted = networksSetting.parse('10.0.0.0/8, fd00::/8,::1')

  it.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.1.2.3', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['10.1.2.3', '10.7.7.7, 10.9.9.9', '10.7.7.7'],
    ['10.1.2.3', 'nonsense', '10.1.2.3'],
    ['::1', '2001:db8::7', '2001:db8::7'],
    ['10.1.2.3', undefined, '10.1.2.3'],
  ])('%j saying %j is %j', (remote, forwarded, address) => {
    expect(clientAddress(from(remote, forwarded), trusted)).toBe(address)
  })

  it('takes nobody at their word unless told', () => {
    expect(clientAddress(from('127.0.0.1', '1.2.3.4'), networksSetting.parse(''))).toBe('127.0.0.1')
  })

  it.each(['10.0.0.0/33', 'ten', '10.0.0.0/8/8x', '::/129'])('refuses the network %j', (text) => {
    expect(networksSetting.safeParse(text).success).toBe(false)
  })
})

describe('countedAddress', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64'],
  ])('%j counts as %j', (address, counted) => {
    expect(countedAddress(address)).toBe(counted)
  })
})
