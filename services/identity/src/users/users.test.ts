import {
  type AnyInternal,
  type Caller,
  EngineUnavailableError,
  noRealm,
  type RoleName,
  roles,
} from '@parley/contracts'
import { getServerSettings as settingsContract } from '@parley/contracts/identity/accounts'
import { realmUserSection as sectionContract } from '@parley/contracts/identity/sections'
import { systemBots } from '@parley/contracts/identity/system-bots'
import { User } from '@parley/contracts/objects/user'
import { wholeFields } from '@parley/kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRealm } from '../realms/create-realm.ts'
import { getServerSettings } from '../realms/get-server-settings.ts'
import { realmById } from '../realms/realm-store.ts'
import type { Deps } from '../room.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { createUser } from './create-user.ts'
import { deactivateUser } from './deactivate-user.ts'
import { emailVisibility } from './email-visibility.ts'
import { getUser } from './get-user.ts'
import { getUserByEmail } from './get-user-by-email.ts'
import { listUsers } from './list-users.ts'
import { realmUserSection } from './realm-user-section.ts'

let room: TestRoom
const ids: Record<string, number> = {}
let realm: Caller['realm']
const as = (role: RoleName): Caller & { user: NonNullable<Caller['user']> } => ({
  realm,
  user: { id: ids[role]!, role: roles[role], bot_type: null },
  client: 'test',
})

const set = (settings: object) => room.deps.database.sql`
  UPDATE realms SET settings = ${JSON.stringify(settings)}::text::jsonb WHERE id = ${realm.id}`
/** What channels says of channels that are shown to everybody. */
let openChannels = (): object => ({ exist: false })

beforeAll(async () => {
  const ask = async ({ name }: AnyInternal) => (name === 'judge-address' ? { finding: null } : openChannels())
  room = await openTestRoom({ ask: ask as unknown as Deps['ask'] })
  const made = await room.ask(createRealm, { subdomain: 'acme', name: 'Acme' })
  realm = { id: made.realm_id, subdomain: 'acme', url: made.url }
  for (const role of [...(Object.keys(roles) as RoleName[]), 'gone']) {
    const { user_id } = await room.ask(createUser, {
      realm: 'acme',
      email: `${role}@b.example`,
      full_name: role,
      role: roles[role as RoleName] ?? roles.member,
      password: null,
    })
    ids[role] = user_id
  }
  await room.ask(deactivateUser, { realm: 'acme', email: 'gone@b.example' })
  await room.deps.database.sql`
    UPDATE users SET email_address_visibility = ${emailVisibility.administrators},
                     email = 'user' || id || '@acme.chat.example' WHERE id = ${ids.member!}`
})
afterAll(() => room.close())

describe('users', () => {
  it('are listed by ID, ended ones included, each as the caller may see it', async () => {
    for (const [role, address] of [
      ['administrator', 'member@b.example'],
      ['moderator', null],
    ] as const) {
      const { members } = await room.call(listUsers, as(role))
      expect(members.map((user) => user.user_id)).toEqual(Object.values(ids).sort((a, b) => a - b))
      expect(members.find((user) => user.user_id === ids.gone)?.is_active).toBe(false)
      expect(members.find((user) => user.user_id === ids.member)?.delivery_email).toBe(address)
      for (const member of members) User.parse(member)
    }
  })

  it('are listed by the IDs asked for; those of nobody here are left out', async () => {
    const other = await room.ask(createRealm, { subdomain: 'other', name: 'Other' })
    expect(other.realm_id).not.toBe(realm.id)
    const user_ids = JSON.stringify([ids.guest, 999_999, ids.owner, ids.owner])
    const { members } = await room.call(listUsers, as('guest'), { user_ids })
    expect(members.map((user) => user.user_id)).toEqual([ids.owner, ids.guest])
    const elsewhere = { ...as('guest'), realm: { ...realm, id: other.realm_id } }
    expect(await room.call(listUsers, elsewhere, { user_ids })).toEqual({ members: [] })
  })

  it('are listed page by page, however many there are', async () => {
    const big = await room.ask(createRealm, { subdomain: 'big', name: 'Big' })
    await room.deps.database.sql`
      INSERT INTO users (realm_id, email, delivery_email, full_name, role, email_address_visibility, api_key_hash, api_key_encrypted)
      SELECT ${big.realm_id}, 'p' || n || '@b.example', 'p' || n || '@b.example', 'Person ' || n, 400, 1,
        sha256(convert_to('big ' || n, 'UTF8')), '\\x00'
      FROM generate_series(1, 1000) AS n`
    const caller = { ...as('owner'), realm: { id: big.realm_id, subdomain: 'big', url: big.url } }
    const { members } = await room.call(listUsers, caller, { include_custom_profile_fields: 'true' })
    expect(members.map(({ full_name }) => full_name)).toEqual(
      Array.from({ length: 1000 }, (_, n) => `Person ${n + 1}`),
    )
    expect(members.every((member) => User.safeParse(member).success)).toBe(true)
    const user_ids = JSON.stringify(members.slice(400, 999).map(({ user_id }) => user_id))
    expect((await room.call(listUsers, caller, { user_ids })).members).toHaveLength(599)
    expect(await room.call(listUsers, caller, { user_ids: '[]' })).toEqual({ members: [] })
  })

  it('are shown to who has no account where the organization shows itself, without what is theirs', async () => {
    const nobody = { realm, user: null, client: 'test' }
    await expect(room.call(listUsers, nobody)).rejects.toMatchObject({ error: 'UNAUTHORIZED' })
    await set({ enable_spectator_access: true })
    const wishes = { client_gravatar: 'true', include_custom_profile_fields: 'true' }
    const { members } = await room.call(listUsers, nobody, wishes)
    expect(members).toHaveLength(Object.keys(ids).length)
    for (const member of members) {
      expect(member).toMatchObject({ delivery_email: null, timezone: '', profile_data: {} })
      expect(member.date_joined).toMatch(/^\d{4}-\d\d-\d\d$/)
      expect(member.avatar_url).not.toBeNull()
      User.parse(member)
    }
    const user_ids = JSON.stringify([ids.guest])
    expect((await room.call(listUsers, nobody, { user_ids })).members).toHaveLength(1)
    const { system_groups } = (await realmById(room.deps.database.sql, realm.id))!
    const can_access_all_users_group = system_groups['role:members']
    await set({ enable_spectator_access: true, can_access_all_users_group })
    expect(await room.call(listUsers, nobody)).toEqual({ members: [] })
    await set({})
  })

  it('are found by ID in their own organization only', async () => {
    const { user } = await room.call(getUser, as('guest'), {}, { user_id: String(ids.member) })
    expect(user).toMatchObject({ full_name: 'member', delivery_email: null })
    const elsewhere = { ...as('guest'), realm: { ...realm, id: realm.id + 1 } }
    for (const [caller, id] of [
      [as('guest'), 999_999],
      [elsewhere, ids.member],
    ] as const) {
      await expect(room.call(getUser, caller, {}, { user_id: String(id) })).rejects.toMatchObject({
        error: 'BAD_REQUEST',
        message: 'No such user',
      })
    }
  })

  it('are the system bots too, by ID and by e-mail, in every organization', async () => {
    const bot = systemBots.welcome
    const path = { user_id: String(bot.id) }
    const { user } = await room.call(getUser, as('guest'), { client_gravatar: 'false' }, path)
    expect(user).toMatchObject({ user_id: bot.id, email: bot.email, is_bot: true, is_system_bot: true })
    const named = await room.call(getUserByEmail, as('guest'), {}, { email: bot.email.toUpperCase() })
    expect(named.user.user_id).toBe(bot.id)
    const { members } = await room.call(listUsers, as('member'))
    expect(members.every((member) => !('is_system_bot' in member))).toBe(true)
  })

  it('are in the registration state as documented', async () => {
    const { database } = room.deps
    const options = {
      client_gravatar: true,
      slim_presence: false,
      include_subscribers: false,
      presence_history_limit_days: 14,
      apply_markdown: true,
    }
    const state = await database.snapshot(async (sql, snapshot) =>
      wholeFields(
        await realmUserSection.read({ caller: as('member'), options, sql, snapshot, deps: room.deps }),
      ),
    )
    expect(z.strictObject(sectionContract.fields).parse(state)).toEqual(state)
    expect(state).toMatchObject({
      user_id: ids.member,
      email: `user${ids.member}@acme.chat.example`,
      delivery_email: 'member@b.example',
      is_admin: false,
      can_create_streams: true,
      can_create_web_public_streams: false,
      can_invite_others_to_realm: true,
      // Of oneself whole, although the client makes others' addresses itself.
      avatar_url: expect.stringContaining('?d=identicon'),
      avatar_url_medium: expect.stringContaining('&s=500'),
      cross_realm_bots: expect.arrayContaining([
        expect.objectContaining({ full_name: 'Welcome Bot', is_system_bot: true }),
      ]),
    })
    expect(state.realm_users.map((user) => user.user_id)).toContain(ids.member)
    expect(state.realm_users.map((user) => user.user_id)).not.toContain(ids.gone)
    expect(state.realm_non_active_users.map((user) => user.user_id)).toEqual([ids.gone])
    for (const user of [...state.realm_users, ...state.realm_non_active_users])
      expect(user).not.toHaveProperty('is_active')
    // "at least an organization moderator" (level 380)
    for (const [role, is_moderator] of [
      ['owner', true],
      ['administrator', true],
      ['moderator', true],
      ['member', false],
      ['guest', false],
    ] as const) {
      const own = await database.snapshot(async (sql, snapshot) =>
        wholeFields(
          await realmUserSection.read({ caller: as(role), options, sql, snapshot, deps: room.deps }),
        ),
      )
      expect([role, own.is_moderator]).toEqual([role, is_moderator])
    }
  })
})

describe('the settings of the server', () => {
  it('are told at the root host too while no organization lives there', async () => {
    const nowhere = { id: noRealm, subdomain: '', url: 'http://chat.example:9991' }
    const answer = await room.call(getServerSettings, { realm: nowhere, user: null, client: 'test' })
    expect(z.strictObject(settingsContract.reply).parse(answer)).toMatchObject({
      realm_url: 'http://chat.example:9991',
      authentication_methods: { password: true },
      realm_web_public_access_enabled: false,
    })
    expect(answer).not.toHaveProperty('realm_name')
    const ghost = { ...nowhere, id: 999_999, subdomain: 'ghost' }
    await expect(
      room.call(getServerSettings, { realm: ghost, user: null, client: 'test' }),
    ).rejects.toMatchObject({ error: 'NONEXISTENT_SUBDOMAIN' })
  })

  it('are told to anybody, with the values of the organization', async () => {
    const answer = await room.call(getServerSettings, { realm, user: null, client: 'test' })
    expect(z.strictObject(settingsContract.reply).parse(answer)).toMatchObject({
      realm_url: 'http://acme.chat.example:9991',
      realm_uri: 'http://acme.chat.example:9991',
      realm_name: 'Acme',
      zulip_feature_level: 509,
    })
    expect(Object.entries(answer.authentication_methods).filter(([, isOn]) => isOn)).toEqual([
      ['password', true],
      ['email', true],
    ])
  })

  it('promise people without an account something to see where there is a channel for them, or nobody knows', async () => {
    const promise = async (): Promise<boolean> =>
      (await room.call(getServerSettings, { realm, user: null, client: 'test' }))
        .realm_web_public_access_enabled
    openChannels = () => ({ exist: true })
    await set({ enable_spectator_access: false })
    expect(await promise()).toBe(false)
    await set({ enable_spectator_access: true })
    expect(await promise()).toBe(true)
    openChannels = () => ({ exist: false })
    expect(await promise()).toBe(false)
    openChannels = () => {
      throw new EngineUnavailableError('channels')
    }
    expect(await promise()).toBe(true)
    await set({})
  })
})
