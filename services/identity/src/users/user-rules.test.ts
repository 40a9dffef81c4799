import { describe, expect, it } from 'vitest'
import { emailFinding, fullNameFinding, passwordFinding } from './user-rules.ts'

describe('full names', () => {
  it.each(['A', 'Zoë Müller', '山田 太郎', "O'Neil (Ops), #1", 'Anna 👩', 'x'.repeat(100)])(
    'take %j',
    (name) => expect(fullNameFinding(name)).toBeUndefined(),
  )

  it('count code points, not units', () => {
    expect(fullNameFinding('𝕏'.repeat(100))).toBeUndefined()
    expect(fullNameFinding('𝕏'.repeat(101))).toBe('Name too long!')
  })

  it.each(['a*b', 'a`b', 'a\\b', 'a>b', 'a"b', 'a@b', 'a\0b', 'a\nb', 'a\u200Bb', 'a\u202Eb', 'a\uD800b'])(
    'refuse %j',
    (name) => expect(fullNameFinding(name)).toBe('Invalid characters in name!'),
  )

  it('refuse what a mention would read as an ID', () => {
    expect(fullNameFinding('Anna|12')).toBe('Invalid format!')
    expect(fullNameFinding('')).toBe('Name too short!')
  })
})

describe('e-mail addresses', () => {
  it.each(['a@b.example', 'first.last+tag@sub.host.example', "o'neil@b-c.example", 'iago@localhost'])(
    'take %j',
    (email) => expect(emailFinding(email)).toBeUndefined(),
  )

  it.each([
    '',
    'a',
    '@b.example',
    'a@',
    'a@b@c.example',
    'a b@c.example',
    'a@b..example',
    'a@-b.example',
    'a@b.example\n',
    'a\0@b.example',
    'ä@b.example',
    '<a@b.example>',
    `${'a'.repeat(65)}@b.example`,
    `a@${'b'.repeat(250)}.example`,
  ])('refuse %j', (email) => expect(emailFinding(email)).toBe('Enter a valid email address.'))
})

describe('passwords', () => {
  it('are 6 to 100 code points', () => {
    expect(passwordFinding('12345')).toContain('too short')
    expect(passwordFinding('123456')).toBeUndefined()
    expect(passwordFinding('𝕏'.repeat(100))).toBeUndefined()
    expect(passwordFinding('x'.repeat(101))).toContain('too long')
  })
})
