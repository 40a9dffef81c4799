import { describe, expect, it } from 'vitest'
import { realmHost, realmUrl } from './realm-address.ts'
import { isSubdomain, realmNameFinding } from './realm-rules.ts'

describe('where an organization is', () => {
  it('is at the root host without a subdomain, below it with one', () => {
    expect(realmUrl('http://localhost:9991', '')).toBe('http://localhost:9991')
    expect(realmUrl('http://localhost:9991', 'acme')).toBe('http://acme.localhost:9991')
    expect(realmUrl('https://chat.example', 'acme')).toBe('https://acme.chat.example')
    expect(realmHost('http://localhost:9991', 'acme')).toBe('acme.localhost')
    expect(realmHost('https://chat.example', '')).toBe('chat.example')
  })

  it.each(['', 'a', 'acme', 'acme-2', '9', 'x'.repeat(63)])('can be %j', (subdomain) =>
    expect(isSubdomain(subdomain)).toBe(true),
  )

  it.each(['-a', 'a-', 'A', 'a.b', 'a b', 'ä', 'a\0', 'x'.repeat(64), 'a/b', 'a@b'])(
    'cannot be %j',
    (subdomain) => expect(isSubdomain(subdomain)).toBe(false),
  )

  it('is called something of 1 to 40 visible characters', () => {
    expect(realmNameFinding('Acme Ltd. 🚀')).toBeUndefined()
    expect(realmNameFinding('🚀'.repeat(40))).toBeUndefined()
    for (const name of ['', '🚀'.repeat(41), 'a\0b', 'a\nb'])
      expect(realmNameFinding(name)).toBeTypeOf('string')
  })
})
