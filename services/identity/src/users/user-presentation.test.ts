import { createHash } from 'node:crypto'
import { roles } from '@parley/contracts'
import { User } from '@parley/contracts/objects/user'
import { describe, expect, it } from 'vitest'
import { emailVisibility } from './email-visibility.ts'
import { userSeenBy } from './user-presentation.ts'
import type { UserRow } from './user-store.ts'

const hidden: UserRow = {
  id: 7,
  realm_id: 1,
  email: 'user7@chat.example',
  delivery_email: 'Secret.Name@Home.Example',
  full_name: 'Sascha',
  role: roles.member,
  is_active: true,
  bot_type: null,
  bot_owner_id: null,
  timezone: '',
  avatar_source: 'G',
  avatar_version: 3,
  email_address_visibility: emailVisibility.administrators,
  is_imported_stub: false,
  date_joined: '2026-01-02T03:04:05.678901+00:00',
  is_deleted: false,
  key_version: 1,
  sessions_since: null,
  spared_session: null,
  version: 9,
}
const open: UserRow = {
  ...hidden,
  email: hidden.delivery_email,
  email_address_visibility: emailVisibility.everyone,
}
const admin = { id: 1, role: roles.administrator }
const guest = { id: 2, role: roles.guest }
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

describe('the user object', () => {
  it('has exactly the documented fields', () => {
    const wishes = { client_gravatar: true, include_custom_profile_fields: true }
    expect(User.parse(userSeenBy(admin, hidden, wishes))).toEqual(userSeenBy(admin, hidden, wishes))
  })

  it('gives no trace of a hidden address to who may not see it', () => {
    for (const client_gravatar of [true, false]) {
      const seen = userSeenBy(guest, hidden, { client_gravatar })
      expect(seen.delivery_email).toBeNull()
      expect(seen.email).toBe('user7@chat.example')
      const text = JSON.stringify(seen).toLowerCase()
      expect(text).not.toContain('secret')
      expect(text).not.toContain(md5('secret.name@home.example'))
      // A client that makes avatar addresses itself could only make one from the address that it does not have.
      expect(seen.avatar_url).toContain('https://secure.gravatar.com/avatar/')
    }
  })

  it('gives the address to who may see it', () => {
    expect(userSeenBy(admin, hidden, { client_gravatar: true })).toMatchObject({
      delivery_email: 'Secret.Name@Home.Example',
      email: 'user7@chat.example',
      avatar_url: null,
    })
  })

  it('names the picture by the lower-case address, with its version', () => {
    const seen = userSeenBy(guest, open, { client_gravatar: false })
    expect(seen.avatar_url).toBe(
      `https://secure.gravatar.com/avatar/${md5('secret.name@home.example')}?d=identicon&version=3`,
    )
    expect(userSeenBy(guest, open, { client_gravatar: true }).avatar_url).toBeNull()
  })

  it('gives the address of a picture that is not at the provider to every client', () => {
    for (const avatar_source of ['J', 'U'] as const) {
      const seen = userSeenBy(admin, { ...open, avatar_source }, { client_gravatar: true })
      expect(seen.avatar_url).toBe('/user_avatars/1/7.png?version=3')
    }
  })

  it.each([
    [roles.owner, { is_owner: true, is_admin: true, is_guest: false }],
    [roles.administrator, { is_owner: false, is_admin: true, is_guest: false }],
    [roles.moderator, { is_owner: false, is_admin: false, is_guest: false }],
    [roles.member, { is_owner: false, is_admin: false, is_guest: false }],
    [roles.guest, { is_owner: false, is_admin: false, is_guest: true }],
  ])('says of role %i what it may', (role, flags) => {
    expect(userSeenBy(guest, { ...open, role }, { client_gravatar: true })).toMatchObject({ role, ...flags })
  })

  it('has profile data for people only, and only when asked', () => {
    const asked = { client_gravatar: true, include_custom_profile_fields: true }
    expect(userSeenBy(admin, open, asked).profile_data).toEqual({})
    expect(userSeenBy(admin, { ...open, bot_type: 1 }, asked)).not.toHaveProperty('profile_data')
    expect(userSeenBy(admin, open, { client_gravatar: true })).not.toHaveProperty('profile_data')
  })
})
