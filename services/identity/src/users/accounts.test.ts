import { type RoleName, roles } from '@parley/contracts'
import { UserFact, usersTopic } from '@parley/contracts/identity/topics'
import { inTransaction } from '@parley/kit'
import { eventually } from '@parley/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { showApiKey } from '../keys/show-api-key.ts'
import { authenticate } from '../log-in/authenticate.ts'
import { createRealm } from '../realms/create-realm.ts'
import { type Announced, openTestRoom, type TestRoom } from '../test-room.ts'
import { type AccountWishes, createAccount } from './account-creation.ts'
import { createUser } from './create-user.ts'
import { deactivateUser } from './deactivate-user.ts'
import { type EmailVisibility, emailVisibility } from './email-visibility.ts'
import { findUsers } from './find-users.ts'
import type { UserEvents } from './user-announcements.ts'

let room: TestRoom
let realms = 0
let realm: { realm_id: number; subdomain: string }
beforeAll(async () => {
  room = await openTestRoom()
})
afterAll(() => room.close())
beforeEach(async () => {
  realms += 1
  realm = await room.ask(createRealm, { subdomain: `r${realms}`, name: 'Realm' })
  await room.announced()
})

const wishes = (email: string, role: RoleName = 'member') => ({
  realm: realm.subdomain,
  email,
  full_name: 'Some One',
  role: roles[role],
  password: null,
})

const person = (email: string, email_address_visibility: EmailVisibility): AccountWishes => ({
  realm_id: realm.realm_id,
  realm_host: 'chat.example',
  email,
  full_name: 'Some One',
  role: roles.member,
  password_hash: null,
  email_address_visibility,
})

const withVisibility = (email: string, visibility: EmailVisibility): Promise<number> =>
  inTransaction<UserEvents, number>(room.deps.database, async (tx) => {
    const made = await createAccount(tx, room.deps.keys, person(email, visibility))
    return made!.user.id
  })

const events = (announced: Announced[]): Announced[] =>
  announced.filter(({ topic, value }) => topic === 'client-events' && value.type === 'realm_user')
const facts = (announced: Announced[]): UserFact[] =>
  announced.filter(({ topic }) => topic === usersTopic.name).map(({ value }) => UserFact.parse(value))

describe('a new account', () => {
  it('is announced to services and to everyone of the organization, once', async () => {
    const made = await room.ask(createUser, wishes('Anna@Home.Example', 'moderator'))
    expect(made).toMatchObject({ email: 'Anna@Home.Example', api_key: expect.stringMatching(/^.{32}$/) })
    const announced = await room.announced()
    expect(facts(announced)).toEqual([
      expect.objectContaining({
        id: made.user_id,
        realm_id: realm.realm_id,
        email: 'Anna@Home.Example',
        delivery_email: 'Anna@Home.Example',
        role: 300,
        is_active: true,
        avatar_source: 'G',
        version: 1,
      }),
    ])
    expect(events(announced)).toEqual([
      expect.objectContaining({
        audience: { realm: realm.realm_id, everyone: true },
        value: expect.objectContaining({ type: 'realm_user', op: 'add' }),
      }),
    ])
    const { person } = events(announced)[0]!.value
    expect(person).toMatchObject({ user_id: made.user_id, delivery_email: 'Anna@Home.Example' })
    expect(person.date_joined).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
  })

  it('is one, however many ask for its address at once, in whatever case', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        room.ask(createUser, wishes(n % 2 ? 'a@b.example' : 'A@B.Example')),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ error: 'BAD_REQUEST' })
    }
    const announced = await room.announced()
    expect([facts(announced).length, events(announced).length]).toEqual([1, 1])
    const { users } = await room.ask(findUsers, {
      realm_id: realm.realm_id,
      ids: [],
      emails: ['a@b.EXAMPLE'],
    })
    expect(users).toHaveLength(1)
  })

  it('is found by name while it is active, in its own organization', async () => {
    const { user_id } = await room.ask(createUser, { ...wishes('a@b.example'), full_name: 'Zoë Finder' })
    const named = async (realm_id: number) => {
      const full_names = ['zoë FINDER', 'nobody', 'a\0b']
      const { users } = await room.ask(findUsers, { realm_id, ids: [], emails: [], full_names })
      return users.map(({ id }) => id)
    }
    expect(await named(realm.realm_id)).toEqual([user_id])
    const elsewhere = await room.ask(createRealm, { subdomain: `finder${realms}`, name: 'Other' })
    expect(await named(elsewhere.realm_id)).toEqual([])
    await room.deps.database.sql`UPDATE users SET is_active = false WHERE id = ${user_id}`
    expect(await named(realm.realm_id)).toEqual([])
  })

  it('may have the address of an account of another organization', async () => {
    const first = await room.ask(createUser, wishes('a@b.example'))
    realm = await room.ask(createRealm, { subdomain: `other${realms}`, name: 'Other' })
    const second = await room.ask(createUser, wishes('a@b.example'))
    expect(second.user_id).not.toBe(first.user_id)
  })

  it('cannot take an address that the server gives out itself', async () => {
    await expect(room.ask(createUser, wishes(`user7@${realm.subdomain}.chat.example`))).rejects.toMatchObject(
      { error: 'BAD_REQUEST' },
    )
  })

  it.each([
    [{ email: 'nonsense' }, 'BAD_REQUEST'],
    [{ full_name: 'a*b' }, 'BAD_REQUEST'],
    [{ password: '12345' }, 'BAD_REQUEST'],
    [{ realm: 'nowhere' }, 'NONEXISTENT_SUBDOMAIN'],
  ])('is not made with %j', async (wrong, error) => {
    await expect(room.ask(createUser, { ...wishes('a@b.example'), ...wrong })).rejects.toMatchObject({
      error,
    })
    expect(await room.announced()).toEqual([])
  })
})

describe('a new account whose e-mail is hidden', () => {
  it.each([
    ['members', ['owner', 'administrator', 'moderator', 'member']],
    ['moderators', ['owner', 'administrator', 'moderator']],
    ['administrators', ['owner', 'administrator']],
    ['nobody', []],
  ] as const)('is announced with the address to those who may see it only (%s)', async (level, may) => {
    const ids: Record<string, number> = {}
    for (const role of Object.keys(roles) as RoleName[]) {
      ids[role] = (await room.ask(createUser, wishes(`${role}@b.example`, role))).user_id
    }
    await room.announced()
    const own = await withVisibility('secret@b.example', emailVisibility[level])
    const announced = await room.announced()
    const told = new Map<number, { delivery_email: string | null }>()
    for (const { audience, value } of events(announced)) {
      expect(audience).not.toHaveProperty('everyone')
      for (const id of audience.users) {
        expect(told.has(id)).toBe(false)
        told.set(id, value.person)
      }
    }
    const seers = new Set([own, ...may.map((role) => ids[role]!)])
    expect([...told.keys()].sort()).toEqual([own, ...Object.values(ids)].sort())
    for (const [id, person] of told) {
      expect(person.delivery_email).toBe(seers.has(id) ? 'secret@b.example' : null)
      if (!seers.has(id)) expect(JSON.stringify(person)).not.toContain('secret')
    }
    expect(facts(announced)).toEqual([
      expect.objectContaining({ email: `user${own}@chat.example`, delivery_email: 'secret@b.example' }),
    ])
  })

  it('is announced to an account that is being made at the same time', async () => {
    const { sql } = room.deps.database
    let hidden: Promise<number> | undefined
    const newcomer = await inTransaction<UserEvents, number>(room.deps.database, async (tx) => {
      const made = await createAccount(tx, room.deps.keys, person('open@b.example', emailVisibility.everyone))
      hidden = withVisibility('secret@b.example', emailVisibility.nobody)
      await eventually(async () => {
        const waiting = await sql`
          SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
        expect(waiting).toHaveLength(1)
      }, 10)
      return made!.user.id
    })
    const own = await hidden
    const told = events(await room.announced())
      .filter(({ value }) => value.person.user_id === own)
      .flatMap(({ audience }) => audience.users)
    expect(told.sort()).toEqual([newcomer, own].sort())
  })
})

describe('an API key', () => {
  it('opens for the account it was made for, by either address, in any case', async () => {
    const made = await room.ask(createUser, wishes('Anna@b.example', 'guest'))
    const { realm_id } = realm
    for (const email of ['Anna@b.example', 'anna@B.EXAMPLE']) {
      expect(await room.ask(authenticate, { realm_id, email, api_key: made.api_key })).toEqual({
        outcome: 'accepted',
        user: { id: made.user_id, role: 600, bot_type: null, key_version: 1 },
        version: 1,
      })
    }
    const hidden = await withVisibility('secret@b.example', emailVisibility.nobody)
    const shown = await room.ask(showApiKey, { realm: realm.subdomain, email: 'SECRET@b.example' })
    const dummy = { realm_id, email: `USER${hidden}@chat.example`, api_key: shown.api_key }
    expect(await room.ask(authenticate, dummy)).toMatchObject({ outcome: 'accepted', user: { id: hidden } })
  })

  it('is shown to its owner again as it was', async () => {
    const made = await room.ask(createUser, wishes('a@b.example'))
    expect(await room.ask(showApiKey, { realm: realm.subdomain, email: 'A@b.example' })).toEqual(made)
  })

  it('opens nothing with another address, another key or another organization: one answer for all', async () => {
    const anna = await room.ask(createUser, wishes('anna@b.example'))
    const bert = await room.ask(createUser, wishes('bert@b.example'))
    const { realm_id } = realm
    const other = await room.ask(createRealm, { subdomain: `foreign${realms}`, name: 'Foreign' })
    const answers = await Promise.all(
      [
        { realm_id, email: 'anna@b.example', api_key: bert.api_key },
        { realm_id, email: 'anna@b.example', api_key: 'x'.repeat(32) },
        { realm_id, email: 'nobody@b.example', api_key: anna.api_key },
        { realm_id, email: 'anna@b.example\0', api_key: anna.api_key },
        { realm_id, email: '', api_key: '' },
        { realm_id: other.realm_id, email: 'anna@b.example', api_key: anna.api_key },
      ].map((input) => room.ask(authenticate, input)),
    )
    for (const answer of answers) expect(answer).toEqual({ outcome: 'invalid', user: null, version: 0 })
  })

  it('tells only its owner that the account was ended', async () => {
    const made = await room.ask(createUser, wishes('a@b.example'))
    await room.ask(deactivateUser, { realm: realm.subdomain, email: 'a@b.example' })
    const { realm_id } = realm
    expect(await room.ask(authenticate, { realm_id, email: 'a@b.example', api_key: made.api_key })).toEqual({
      outcome: 'user_deactivated',
      user: { id: made.user_id, role: 400, bot_type: null, key_version: 1 },
      version: 2,
    })
    expect(
      await room.ask(authenticate, { realm_id, email: 'a@b.example', api_key: 'x'.repeat(32) }),
    ).toMatchObject({ outcome: 'invalid' })
  })

  it('tells only its owner that the organization was ended', async () => {
    const made = await room.ask(createUser, wishes('a@b.example'))
    const { realm_id } = realm
    await room.deps.database.sql`UPDATE realms SET is_active = false WHERE id = ${realm_id}`
    const credentials = { realm_id, email: 'a@b.example', api_key: made.api_key }
    expect(await room.ask(authenticate, credentials)).toMatchObject({ outcome: 'realm_deactivated' })
    expect(await room.ask(authenticate, { ...credentials, api_key: 'x' })).toMatchObject({
      outcome: 'invalid',
    })
  })
})

describe('ending an account', () => {
  it('is announced once, with a newer version', async () => {
    const made = await room.ask(createUser, wishes('a@b.example'))
    await room.announced()
    const end = () => room.ask(deactivateUser, { realm: realm.subdomain, email: 'A@B.example' })
    const answers = await Promise.all(Array.from({ length: 5 }, end))
    for (const answer of answers) expect(answer).toEqual({ user_id: made.user_id })
    const announced = await room.announced()
    expect(facts(announced)).toEqual([
      expect.objectContaining({ id: made.user_id, is_active: false, version: 2 }),
    ])
    expect(events(announced)).toEqual([
      expect.objectContaining({
        audience: { realm: realm.realm_id, everyone: true },
        value: { type: 'realm_user', op: 'update', person: { user_id: made.user_id, is_active: false } },
      }),
    ])
  })

  it('says so when there is no such account', async () => {
    for (const email of ['nobody@b.example', 'a\0b']) {
      await expect(room.ask(deactivateUser, { realm: realm.subdomain, email })).rejects.toMatchObject({
        error: 'BAD_REQUEST',
      })
    }
  })
})

describe('accounts asked for by other services', () => {
  it('are found by ID and by either address, each once, in their own organization only', async () => {
    const anna = await room.ask(createUser, wishes('Anna@b.example'))
    const hidden = await withVisibility('secret@b.example', emailVisibility.nobody)
    const { realm_id } = realm
    const emails = [
      'anna@b.example',
      `user${hidden}@chat.example`,
      'SECRET@b.example',
      'nobody@b.example',
      '\0',
    ]
    const { users } = await room.ask(findUsers, { realm_id, ids: [anna.user_id, 999_999], emails })
    expect(users.map(({ id }) => id).sort()).toEqual([anna.user_id, hidden].sort())
    const other = await room.ask(createRealm, { subdomain: `elsewhere${realms}`, name: 'Elsewhere' })
    const foreign = { realm_id: other.realm_id, ids: [anna.user_id], emails: ['anna@b.example'] }
    expect(await room.ask(findUsers, foreign)).toEqual({ users: [] })
  })
})
