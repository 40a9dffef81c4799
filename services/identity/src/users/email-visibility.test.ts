import { roles } from '@parley/contracts'
import { describe, expect, it } from 'vitest'
import { dummyEmail, emailVisibility, isDummyEmail, isEmailPublic, seesEmail } from './email-visibility.ts'

const { owner, administrator, moderator, member, guest } = roles

/** Who may see it at each level of the setting; the rest may not. */
const mayAtLevel = {
  everyone: [owner, administrator, moderator, member, guest],
  members: [owner, administrator, moderator, member],
  moderators: [owner, administrator, moderator],
  administrators: [owner, administrator],
  nobody: [],
} as const

const cases = Object.entries(mayAtLevel).flatMap(([level, may]) =>
  Object.entries(roles).map(([name, role]) => ({
    level: level as keyof typeof mayAtLevel,
    name,
    role,
    expected: (may as readonly number[]).includes(role),
  })),
)

describe('who sees a real e-mail address', () => {
  it.each(cases)('level $level, seen by $name: $expected', ({ level, role, expected }) => {
    const target = { id: 1, bot_type: null, email_address_visibility: emailVisibility[level] }
    expect(seesEmail({ id: 2, role }, target)).toBe(expected)
    expect(seesEmail({ id: 1, role }, target)).toBe(true)
    expect(isEmailPublic(target)).toBe(level === 'everyone')
  })

  it('shows the address of a bot to everyone', () => {
    const bot = { id: 1, bot_type: 1, email_address_visibility: emailVisibility.nobody }
    expect(seesEmail({ id: 2, role: guest }, bot)).toBe(true)
    expect(isEmailPublic(bot)).toBe(true)
  })
})

describe('addresses that stand for hidden ones', () => {
  it('are recognised in any case, for their own host only', () => {
    expect(dummyEmail(12, 'chat.example')).toBe('user12@chat.example')
    expect(isDummyEmail('User12@Chat.Example', 'chat.example')).toBe(true)
    for (const other of ['user12@other.example', 'user@chat.example', 'user12a@chat.example', 'user12']) {
      expect(isDummyEmail(other, 'chat.example')).toBe(false)
    }
  })
})
