import type { KnownCaller, SectionOptions } from '@parley/contracts'
import { wholeFields } from '@parley/kit'
import { textCache } from '@parley/kit/text-cache'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProfileField } from '../profile-fields/create-profile-field.ts'
import { removeOwnProfile } from '../profile-fields/remove-own-profile.ts'
import { removeProfileField } from '../profile-fields/remove-profile-field.ts'
import { updateOwnProfile } from '../profile-fields/update-own-profile.ts'
import { updateRealm } from '../realms/update-realm.ts'
import type { Deps } from '../room.ts'
import { updateSettings } from '../settings/update-settings.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { endUser } from './end-user.ts'
import { reactivateUser } from './reactivate-user.ts'
import { realmUserSection } from './realm-user-section.ts'
import { updateUser } from './update-user.ts'

let room: TestRoom
let organization: TestOrganization
let people: TestOrganization['people']
beforeAll(async () => {
  room = await openTestRoom({ ask: (async () => ({ company: [], channels: [] })) as unknown as Deps['ask'] })
  organization = await openTestOrganization(room)
  people = organization.people
})
afterAll(() => room.close())

type Sql = Parameters<Parameters<Deps['database']['snapshot']>[0]>[0]

/** What one of the people is told of all of them, or what is told to who has no account. */
const listsIn = async (sql: Sql, deps: Deps, caller: KnownCaller | null, options: object) => {
  const context = { options: options as SectionOptions, sql, deps }
  const state =
    caller === null
      ? await realmUserSection.readForSpectator!({ ...context, realm: organization.realm })
      : await realmUserSection.read({ ...context, caller, snapshot: undefined as never })
  const { realm_users, realm_non_active_users } = await wholeFields(state)
  return { realm_users, realm_non_active_users }
}

const viewers = () => [people.owner, people.moderator, people.member, people.guest, null]
const wishes = [
  { client_gravatar: true },
  { client_gravatar: false, client_capabilities: { user_list_incomplete: true } },
]

/** Every viewer's lists: by the texts that are kept, and written anew. */
const compared = () =>
  room.deps.database.snapshot(async (sql) => {
    const kept: unknown[] = []
    const anew: unknown[] = []
    for (const caller of viewers()) {
      for (const options of wishes) {
        kept.push(await listsIn(sql, room.deps, caller, options))
        anew.push(await listsIn(sql, { ...room.deps, accountTexts: textCache(1) }, caller, options))
      }
    }
    return { kept, anew }
  })

const id = ({ user }: KnownCaller) => ({ user_id: String(user.id) })

it('lists accounts as they are after every kind of change, to everybody who may look', async () => {
  const { owner, member, guest } = people
  const { system_groups } = (
    await room.deps.database.sql<{ system_groups: Record<string, number> }[]>`
      SELECT jsonb_object_agg(name, id) AS system_groups FROM user_groups
      WHERE realm_id = ${organization.realm.id} AND is_system_group`
  )[0]!
  const whoSeesAll = (name: string) =>
    room.call(updateRealm, owner, {
      can_access_all_users_group: JSON.stringify({ new: system_groups[name] }),
    })
  const field = async (name: string) =>
    (await room.call(createProfileField, owner, { field_type: '1', name })).id
  const say = (field: number, value: string) =>
    room.call(updateOwnProfile, member, { data: JSON.stringify([{ id: field, value }]) })
  const fields: number[] = []
  const changes: Record<string, () => Promise<unknown>> = {
    nothing: async () => {},
    name: () => room.call(updateSettings, member, { full_name: 'Ünlaut 漢字' }),
    'hidden address': () => room.call(updateSettings, member, { email_address_visibility: '3' }),
    'address of nobody': () => room.call(updateSettings, member, { email_address_visibility: '4' }),
    'open address': () => room.call(updateSettings, member, { email_address_visibility: '1' }),
    role: () => room.call(updateUser, owner, { role: '300' }, id(member)),
    'two fields': async () => fields.push(await field('one'), await field('two')),
    'a value': () => say(fields[0]!, 'first'),
    'another value': () => say(fields[0]!, 'second'),
    'a second value': () => say(fields[1]!, 'more'),
    'a value gone': () => room.call(removeOwnProfile, member, { data: JSON.stringify([fields[1]]) }),
    'a field gone': () => room.call(removeProfileField, owner, {}, { field_id: String(fields[0]) }),
    ended: () => room.call(endUser, owner, {}, id(member)),
    'guests are limited': () => whoSeesAll('role:members'),
    back: () => room.call(reactivateUser, owner, {}, id(member)),
    'guests are free': () => whoSeesAll('role:everyone'),
    newcomer: () => organization.person('newcomer'),
    picture: () =>
      room.deps.database
        .sql`UPDATE users SET avatar_source = 'J', avatar_version = 2 WHERE id = ${guest.user.id}`,
  }
  let before = ''
  for (const [what, change] of Object.entries(changes)) {
    await change()
    const { kept, anew } = await compared()
    expect(kept, what).toEqual(anew)
    // It was a change that some of them see.
    const seen = JSON.stringify(anew)
    if (what !== 'two fields') expect(seen === before, what).toBe(false)
    before = seen
  }
})

it('lists in an old snapshot what was so then, whoever reads newer ones', async () => {
  const { member, owner } = people
  const namesIn = async (sql: Sql) => {
    const { realm_users } = await listsIn(sql, room.deps, owner, wishes[0]!)
    return realm_users.find(({ user_id }) => user_id === member.user.id)?.full_name
  }
  const { database } = room.deps
  await room.call(updateSettings, member, { full_name: 'before' })
  await database.snapshot(async (old) => {
    // The snapshot is taken by its first query, which the database asked by itself.
    await room.call(updateSettings, member, { full_name: 'after' })
    expect(await database.snapshot(namesIn)).toBe('after')
    expect(await namesIn(old)).toBe('before')
    expect(await database.snapshot(namesIn)).toBe('after')
  })
})

it('writes no page again but those in which something has changed', async () => {
  const { owner, moderator, member } = people
  const { sql } = room.deps.database
  const { id: realmId } = organization.realm
  const crowd = await sql<{ id: number }[]>`
    INSERT INTO users (realm_id, email, delivery_email, full_name, role, email_address_visibility, api_key_hash, api_key_encrypted)
    SELECT ${realmId}, 'c' || n || '@b.example', 'c' || n || '@b.example', 'Crowd ' || n, 400, 1,
      sha256(convert_to('crowd ' || n, 'UTF8')), '\\x00'
    FROM generate_series(1, 1200) AS n RETURNING id`
  const texts = textCache(8)
  let written = 0
  const accountTexts = {
    get: (name: string) => texts.get(name),
    set: (name: string, text: string) => {
      written += 1
      texts.set(name, text)
    },
  }
  const readBy = async (viewer: KnownCaller) => {
    written = 0
    return room.deps.database.snapshot((snapshot) =>
      listsIn(snapshot, { ...room.deps, accountTexts }, viewer, wishes[0]!),
    )
  }
  const [everybody] = await sql<[{ count: number }]>`
    SELECT count(*)::int AS count FROM users WHERE realm_id = ${realmId} AND is_active`
  // Three pages, of the active and of the others.
  expect((await readBy(owner)).realm_users).toHaveLength(everybody.count)
  expect(written).toBe(6)
  // Nobody hides an address, so all see the same.
  await readBy(moderator)
  expect(written).toBe(0)
  await sql`UPDATE users SET is_active = false WHERE id = ${crowd[600]!.id}`
  const { realm_users, realm_non_active_users } = await readBy(member)
  expect(written).toBe(2)
  expect(realm_non_active_users.map(({ user_id }) => user_id)).toEqual([crowd[600]!.id])
  expect(realm_users.map(({ user_id }) => user_id)).toEqual(
    realm_users.map(({ user_id }) => user_id).toSorted((one, other) => one - other),
  )
  await organization.person('late')
  expect((await readBy(owner)).realm_users).toHaveLength(everybody.count)
  expect(written).toBe(2)
})
