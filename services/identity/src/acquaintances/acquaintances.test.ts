import type { AnyInternal, KnownCaller, SectionOptions } from '@parley/contracts'
import { inTransaction, wholeFields } from '@parley/kit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createUserGroup } from '../groups/create-user-group.ts'
import { realmUserGroupsSection } from '../groups/realm-user-groups-section.ts'
import { updateUserGroup } from '../groups/update-user-group.ts'
import { muteUser } from '../personal/mute-user.ts'
import { unmuteUser } from '../personal/unmute-user.ts'
import { realmSection } from '../realms/realm-section.ts'
import { lockAccounts } from '../realms/realm-store.ts'
import { updateRealm } from '../realms/update-realm.ts'
import type { Deps } from '../room.ts'
import { updateSettings } from '../settings/update-settings.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { endUser } from '../users/end-user.ts'
import { getUser } from '../users/get-user.ts'
import { getUserByEmail } from '../users/get-user-by-email.ts'
import { listUsers } from '../users/list-users.ts'
import { reactivateUser } from '../users/reactivate-user.ts'
import { realmUserSection } from '../users/realm-user-section.ts'
import { updateUser } from '../users/update-user.ts'
import { type AcquaintanceEvents, refreshAcquaintances } from './acquaintance-changes.ts'

/** What channels would say: who shares something with whom. */
const company = new Set<string>()
const share = (one: KnownCaller, other: KnownCaller): void => {
  company.add(`${one.user.id}/${other.user.id}`)
  company.add(`${other.user.id}/${one.user.id}`)
}
const ask = (async ({ name }: AnyInternal, input: { user_ids: number[] }) => {
  if (name !== 'company-of') throw new Error(`nobody answers ${name} in this test`)
  return {
    company: input.user_ids.map((user_id) => ({
      user_id,
      known_ids: [...company]
        .map((pair) => pair.split('/').map(Number))
        .flatMap(([one, other]) => (one === user_id ? [other!] : [])),
    })),
  }
}) as unknown as Deps['ask']

let room: TestRoom
let organization: TestOrganization
let people: TestOrganization['people']
beforeAll(async () => {
  room = await openTestRoom({ ask })
})
afterAll(() => room.close())
beforeEach(async () => {
  company.clear()
  organization = await openTestOrganization(room)
  people = organization.people
  share(people.guest, people.member)
})

const id = (caller: KnownCaller) => ({ user_id: String(caller.user.id) })
const limit = async (name: 'role:members' | 'role:everyone') => {
  const { system_groups } = (
    await room.deps.database.sql<{ system_groups: Record<string, number> }[]>`
      SELECT jsonb_object_agg(name, id) AS system_groups FROM user_groups
      WHERE realm_id = ${organization.realm.id} AND is_system_group`
  )[0]!
  await room.call(updateRealm, people.owner, {
    can_access_all_users_group: JSON.stringify({ new: system_groups[name] }),
  })
}
/** Who was told what of accounts. */
const told = async () =>
  (await room.announced())
    .filter(({ value }) => value.type === 'realm_user')
    .map(({ audience, value }) => ({
      to: audience.everyone ? 'everyone' : audience.users,
      op: value.op,
      person: value.person,
    }))
const listed = async (caller: KnownCaller) =>
  (await room.call(listUsers, caller)).members.map(({ user_id }) => user_id)
const meet = (...who: KnownCaller[]) =>
  inTransaction<AcquaintanceEvents, void>(room.deps.database, async (tx) => {
    await lockAccounts(tx.sql, organization.realm.id)
    await refreshAcquaintances(
      tx,
      ask,
      organization.realm.id,
      who.map(({ user }) => user.id),
    )
  })
const registered = (caller: KnownCaller, capabilities: Record<string, boolean>) =>
  room.deps.database.snapshot(async (sql, snapshot) =>
    wholeFields(
      await realmUserSection.read({
        caller,
        options: { client_gravatar: false, client_capabilities: capabilities } as unknown as SectionOptions,
        sql,
        snapshot,
        deps: room.deps,
      }),
    ),
  )

it('lets guests know everybody unless the organization says otherwise', async () => {
  expect(await listed(people.guest)).toHaveLength(5)
  await room.call(updateSettings, people.owner, { full_name: 'New name' })
  expect(await told()).toMatchObject([{ to: 'everyone' }])
})

it('shows limited guests their company only, and answers about others as about nobody', async () => {
  await limit('role:members')
  expect(await listed(people.guest)).toEqual([people.member.user.id, people.guest.user.id])
  expect(await listed(people.member)).toHaveLength(5)
  const nobody = { code: 'BAD_REQUEST', message: 'No such user' }
  const missing = { user_id: '999999' }
  await expect(room.call(getUser, people.guest, {}, missing)).rejects.toMatchObject(nobody)
  await expect(room.call(getUser, people.guest, {}, id(people.owner))).rejects.toMatchObject(nobody)
  const host = `${organization.realm.subdomain}.chat.example`
  for (const email of ['owner@b.example', `user${people.owner.user.id}@${host}`]) {
    await expect(room.call(getUserByEmail, people.guest, {}, { email })).rejects.toMatchObject(nobody)
    expect((await room.call(getUserByEmail, people.member, {}, { email })).user.user_id).toBe(
      people.owner.user.id,
    )
  }
  const muted = { muted_user_id: String(people.owner.user.id) }
  await expect(room.call(muteUser, people.guest, {}, muted)).rejects.toMatchObject(nobody)
  await expect(room.call(unmuteUser, people.guest, {}, muted)).rejects.toMatchObject(nobody)
  expect((await room.call(getUser, people.guest, {}, id(people.member))).user.full_name).toBe('member')
})

it('tells limited guests what groups and settings are without strangers who were deactivated, and everybody of the return', async () => {
  await limit('role:members')
  const { sql } = room.deps.database
  const self = people.moderator.user.id
  const named = JSON.stringify({ direct_members: [self, people.owner.user.id], direct_subgroups: [] })
  const { group_id } = await room.call(createUserGroup, people.owner, {
    ...{ name: 'g', description: '', members: JSON.stringify([self]), can_mention_group: named },
  })
  await room.call(updateRealm, people.owner, { can_invite_users_group: `{"new":${named}}` })
  await room.announced()
  const events = async () =>
    (await room.announced())
      .filter(({ topic }) => topic === 'client-events')
      .map(({ audience, value: { type, op, group_id: id, user_ids, data, person } }) => [
        audience.everyone ? 'everyone' : audience.users,
        `${type} ${op}`,
        person?.is_active ?? user_ids ?? data,
        ...(id === undefined ? [] : [id]),
      ])
  const [system] = await sql<{ id: number }[]>`
    SELECT id FROM user_groups WHERE realm_id = ${organization.realm.id} AND name = 'role:moderators'`
  const guest = [people.guest.user.id]
  const seen = async () => {
    const state = await room.deps.database.snapshot((tx, snapshot) => {
      const reading = {
        caller: people.guest,
        options: {} as SectionOptions,
        sql: tx,
        snapshot,
        deps: room.deps,
      }
      return Promise.all([realmSection.read(reading), realmUserGroupsSection.read(reading)])
    })
    const [realm, { realm_user_groups }] = state
    return [
      (realm as Record<string, unknown>).realm_can_invite_users_group,
      realm_user_groups.find(({ id }) => id === group_id)!.can_mention_group,
    ]
  }
  const without = { direct_members: [people.owner.user.id], direct_subgroups: [] }
  const all = { direct_members: [people.owner.user.id, self].sort((a, b) => a - b), direct_subgroups: [] }
  await room.call(endUser, people.owner, {}, id(people.moderator))
  expect(await events()).toEqual([
    [expect.not.arrayContaining(guest), 'realm_user update', false],
    [guest, 'user_group remove_members', [self], system!.id],
    [guest, 'user_group remove_members', [self], group_id],
    [guest, 'realm update_dict', { can_invite_users_group: without }],
    [guest, 'user_group update', { can_mention_group: without }, group_id],
  ])
  expect(await seen()).toEqual([without, without])
  // Who changes what is shown compares with what is shown.
  const same = JSON.stringify({ old: without, new: without })
  await room.call(updateRealm, people.owner, { can_invite_users_group: same })
  await room.call(
    updateUserGroup,
    people.owner,
    { can_mention_group: same },
    { user_group_id: String(group_id) },
  )
  expect(await events()).toEqual([])
  await room.call(reactivateUser, people.owner, {}, id(people.moderator))
  expect((await events()).filter(([, kind]) => kind !== 'realm_export_consent undefined')).toEqual([
    [expect.not.arrayContaining(guest), 'realm_user update', true],
    ['everyone', 'user_group add_members', [self], system!.id],
    ['everyone', 'user_group add_members', [self], group_id],
    ['everyone', 'realm update_dict', { can_invite_users_group: all }],
    ['everyone', 'user_group update', { can_mention_group: all }, group_id],
  ])
  expect(await seen()).toEqual([all, all])
  // A member whom the guest knows: the guest takes it out of everything by itself.
  await room.call(endUser, people.owner, {}, id(people.member))
  expect(await events()).toEqual([[expect.arrayContaining(guest), 'realm_user update', false]])
})

it('puts placeholders where clients need a complete list, and nothing where they do not', async () => {
  await limit('role:members')
  const whole = await registered(people.guest, {})
  const unknown = whole.realm_users.filter(({ full_name }) => full_name === 'Unknown user')
  expect(whole.realm_users).toHaveLength(5)
  expect(unknown).toHaveLength(3)
  expect(unknown[0]).toMatchObject({
    user_id: people.owner.user.id,
    email: `user${people.owner.user.id}@${organization.realm.subdomain}.chat.example`,
    delivery_email: null,
    role: 400,
    is_owner: false,
  })
  const incomplete = await registered(people.guest, { user_list_incomplete: true })
  expect(incomplete.realm_users.map(({ user_id }) => user_id)).toEqual([
    people.member.user.id,
    people.guest.user.id,
  ])
  expect((await registered(people.member, {})).realm_users).toHaveLength(5)
})

it('tells guests whom they lose and gain when the limit comes and goes', async () => {
  await limit('role:members')
  const guest = [people.guest.user.id]
  const strangers = ['owner', 'administrator', 'moderator'] as const
  expect(await told()).toEqual(
    strangers.map((role) => ({
      to: guest,
      op: 'remove',
      person: { user_id: people[role].user.id, full_name: 'Unknown user' },
    })),
  )
  await limit('role:everyone')
  expect(await told()).toMatchObject(
    strangers.map((role) => ({
      to: guest,
      op: 'add',
      person: { user_id: people[role].user.id, full_name: role, profile_data: {} },
    })),
  )
  expect(await listed(people.guest)).toHaveLength(5)
})

it('follows who comes into company and leaves it', async () => {
  await limit('role:members')
  const other = await organization.person('other', 'guest')
  await room.announced()
  share(people.guest, people.moderator)
  share(people.guest, other)
  await meet(people.moderator, other)
  const [guest, moderator] = [people.guest.user.id, people.moderator.user.id]
  expect(await told()).toMatchObject([
    { to: [guest], op: 'add', person: { user_id: moderator, full_name: 'moderator' } },
    { to: [other.user.id], op: 'add', person: { user_id: guest } },
    { to: [guest], op: 'add', person: { user_id: other.user.id } },
  ])
  await meet(people.moderator)
  expect(await told()).toEqual([])
  company.delete(`${guest}/${moderator}`)
  company.delete(`${moderator}/${guest}`)
  await meet(people.guest)
  expect(await told()).toEqual([
    { to: [guest], op: 'remove', person: { user_id: moderator, full_name: 'Unknown user' } },
  ])
  expect(await listed(people.guest)).toEqual([people.member.user.id, guest, other.user.id])
})

it('announces changes of an account only to those who may know it', async () => {
  await limit('role:members')
  await room.announced()
  await room.call(updateUser, people.owner, { full_name: 'Mo', role: '200' }, id(people.moderator))
  await room.call(updateUser, people.owner, { full_name: 'Me' }, id(people.member))
  const ids = Object.values(people).map(({ user }) => user.id)
  const withoutGuest = ids.filter((one) => one !== people.guest.user.id).sort((a, b) => a - b)
  const all = [...ids].sort((a, b) => a - b)
  expect((await told()).map(({ to }) => to)).toEqual([withoutGuest, withoutGuest, all])
  await room.call(updateSettings, people.moderator, { email_address_visibility: '3' })
  const addresses = await told()
  expect(addresses.every(({ to }) => !to.includes(people.guest.user.id))).toBe(true)
  await room.call(endUser, people.owner, {}, id(people.moderator))
  expect((await told())[0]!.to).not.toContain(people.guest.user.id)
})

it('tells guests of a new account by a placeholder that says nothing', async () => {
  await limit('role:members')
  await room.announced()
  const { user } = await organization.person('newcomer')
  const [placeholder, real] = await told()
  expect(placeholder).toMatchObject({ to: [people.guest.user.id], op: 'add' })
  expect(JSON.stringify(placeholder!.person)).not.toContain('newcomer')
  expect(placeholder!.person).toMatchObject({ user_id: user.id, full_name: 'Unknown user' })
  expect(real!.to).toContain(user.id)
  expect(real!.to).not.toContain(people.guest.user.id)
})

it('takes from whoever becomes a guest what guests may not know, and gives it back', async () => {
  await limit('role:members')
  await room.announced()
  share(people.moderator, people.member)
  await room.call(updateUser, people.owner, { role: '600' }, id(people.moderator))
  const own = (await told()).filter(({ op }) => op === 'remove')
  const lost = [people.owner, people.administrator, people.guest].map(({ user }) => user.id)
  expect(own.map(({ to, person }) => [to, person.user_id])).toEqual(
    lost.map((one) => [[people.moderator.user.id], one]),
  )
  const asGuest: KnownCaller = { ...people.moderator, user: { ...people.moderator.user, role: 600 } }
  expect(await listed(asGuest)).toEqual(
    [people.moderator.user.id, people.member.user.id].sort((a, b) => a - b),
  )
  await room.call(updateUser, people.owner, { role: '400' }, id(people.moderator))
  const back = (await told()).filter(({ op }) => op === 'add')
  expect(back.map(({ person }) => person.user_id)).toEqual(lost)
})
