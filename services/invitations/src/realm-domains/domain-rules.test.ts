import { describe, expect, it } from 'vitest'
import { domainFinding, domainKey, suffixFinding } from './domain-rules.ts'

const finding = (text: string, allowSubdomains = false) => domainFinding(domainKey(text), allowSubdomains)

describe('what can be an allowed domain', () => {
  it.each([
    'example.com',
    'Mail.Example.CO.UK',
    'corp.internal',
    'bücher.example',
    'a-b.example',
    '9.example.org',
  ])('%s can', (text) => expect(finding(text, true)).toBeUndefined())

  it.each([
    '',
    '   ',
    'localhost',
    '.example.com',
    'example.com.',
    'example..com',
    '-a.example',
    'a-.example',
    'a_b.example',
    'a@example.com',
    'http://example.com',
    'example.com/path',
    'example.com:25',
    'ex ample.com',
    'ex%61mple.com',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
  ])('%j cannot', (text) => expect(finding(text)).toEqual(expect.any(String)))

  it('is not a suffix under which anybody has a name', () => {
    for (const suffix of ['co.uk', 'com.au', 'xn--55qx5d.cn']) {
      expect(finding(suffix)).toEqual(expect.any(String))
    }
    expect(finding('github.io')).toBeUndefined()
    expect(suffixFinding('github.io', true)).toEqual(expect.any(String))
    expect(finding('parley.github.io', true)).toBeUndefined()
  })

  it('is one domain, however it is spelled', () => {
    expect(domainKey(' BÜCHER.Example ')).toBe('xn--bcher-kva.example')
    expect(domainKey('xn--bcher-kva.example')).toBe('xn--bcher-kva.example')
  })
})
