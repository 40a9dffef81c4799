import { describe, expect, it } from 'vitest'
import { basicCredentials } from './basic-credentials.ts'
import { clientName } from './client-name.ts'
import { realmUrl, subdomainOf } from './realm-host.ts'

describe('clientName', () => {
  it.each([
    ['ZulipPython/0.9 (Linux; 6.1)', 'ZulipPython'],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'website'],
    ['ZulipElectron/5.12 Mozilla/5.0', 'ZulipElectron'],
    ['curl/8.5.0', 'curl'],
    ['node', 'node'],
    ['My bot (beta)', 'My'],
    [`${'x'.repeat(90)}/1`, 'x'.repeat(30)],
    ['caf\u00e9/1', 'caf'],
    ['/1.0', 'Unspecified'],
    ['', 'Unspecified'],
    [undefined, 'Unspecified'],
  ])('%j is %j', (userAgent, name) => {
    expect(clientName(userAgent)).toBe(name)
  })
})

describe('subdomainOf', () => {
  const production = subdomainOf('https://chat.example.org', false)
  const development = subdomainOf('http://localhost:9991', true)

  it.each([
    ['chat.example.org', ''],
    ['CHAT.Example.org:443', ''],
    ['chat.example.org.', ''],
    ['acme.chat.example.org', 'acme'],
    ['acme-2.chat.example.org:8443', 'acme-2'],
    ['a.b.chat.example.org', undefined],
    ['-a.chat.example.org', undefined],
    ['.chat.example.org', undefined],
    ['evilchat.example.org', undefined],
    ['chat.example.org.evil.org', undefined],
    ['localhost', undefined],
    ['127.0.0.1:9991', undefined],
    ['', undefined],
    [undefined, undefined],
    ['a\u0000.chat.example.org', undefined],
  ])('%j is %j in production', (host, subdomain) => {
    expect(production(host)).toBe(subdomain)
  })

  it.each([
    ['localhost:9991', ''],
    ['acme.localhost:9991', 'acme'],
    ['127.0.0.1:9991', ''],
    ['[::1]:9991', ''],
    ['[::1]', ''],
    ['example.org', undefined],
  ])('%j is %j in development', (host, subdomain) => {
    expect(development(host)).toBe(subdomain)
  })

  it('writes the address that it reads', () => {
    expect(realmUrl('http://localhost:9991', 'acme')).toBe('http://acme.localhost:9991')
    expect(realmUrl('https://chat.example.org', '')).toBe('https://chat.example.org')
  })
})

describe('basicCredentials', () => {
  const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`

  it('reads name and key; the key may hold colons', () => {
    expect(basicCredentials(basic('iago@x.org:k:ey'))).toEqual({ email: 'iago@x.org', apiKey: 'k:ey' })
    expect(basicCredentials(basic('iago@x.org:'))).toEqual({ email: 'iago@x.org', apiKey: '' })
    expect(basicCredentials(basic('iago@x.org:k').replace('Basic', 'bAsIc'))).toBeDefined()
  })

  it.each([
    '',
    'Basic',
    'Basic !!!',
    'Bearer abc',
    basic('nobody'),
    basic(':key'),
    basic('a\u0000b:c'),
    'Basic gICAOmE=',
  ])('refuses %j', (header) => {
    expect(basicCredentials(header)).toBeUndefined()
  })
})
