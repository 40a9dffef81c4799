import type { KnownCaller } from '@parley/contracts'
import { GroupFact, groupsTopic } from '@parley/contracts/identity/topics'
import type { UserGroup } from '@parley/contracts/objects/user-group'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { realmById } from '../realms/realm-store.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { endUser } from '../users/end-user.ts'
import { updateUser } from '../users/update-user.ts'
import { createUserGroup } from './create-user-group.ts'
import { deactivateUserGroup } from './deactivate-user-group.ts'
import { findGroups } from './find-groups.ts'
import { getUserGroupMember } from './get-user-group-member.ts'
import { listUserGroupMembers } from './list-user-group-members.ts'
import { listUserGroupSubgroups } from './list-user-group-subgroups.ts'
import { listUserGroups } from './list-user-groups.ts'
import { permissionsOf } from './permissions.ts'
import { updateUserGroup } from './update-user-group.ts'
import { updateUserGroupMembers } from './update-user-group-members.ts'

let room: TestRoom
let people: TestOrganization['people']
let realm: TestOrganization['realm']
let system: Record<string, number>
let usedInChannels: { channel_id: number; settings: string[] }[] = []
beforeAll(async () => {
  room = await openTestRoom({ ask: (async () => ({ channels: usedInChannels })) as never })
})
afterAll(() => room.close())
beforeEach(async () => {
  const organization = await openTestOrganization(room)
  people = organization.people
  realm = organization.realm
  system = (await realmById(room.deps.database.sql, realm.id))!.system_groups
  usedInChannels = []
})

const ids = (...callers: KnownCaller[]): number[] => callers.map(({ user }) => user.id).sort((a, b) => a - b)
const list = (...values: number[]): string => JSON.stringify(values)
const make = async (caller: KnownCaller, name: string, sent: Record<string, string> = {}): Promise<number> =>
  (await room.call(createUserGroup, caller, { name, description: '', members: '[]', ...sent })).group_id
const path = (group: number) => ({ user_group_id: String(group) })
const members = (caller: KnownCaller, group: number, sent: Record<string, string>) =>
  room.call(updateUserGroupMembers, caller, sent, path(group))
const within = async (group: number) =>
  (await room.call(listUserGroupMembers, people.guest, {}, path(group))).members
const update = (caller: KnownCaller, group: number, sent: Record<string, string>) =>
  room.call(updateUserGroup, caller, sent, path(group))
const told = async () => {
  const all = await room.announced()
  return {
    events: all.filter(({ topic }) => topic === 'client-events').map(({ value }) => value),
    facts: all.filter(({ topic }) => topic === groupsTopic.name).map(({ value }) => GroupFact.parse(value)),
  }
}
const refused = { error: 'BAD_REQUEST', message: 'Insufficient permission' }

it('are found by ID and, in any case, by name, in their own organization', async () => {
  const one = await make(people.owner, 'Ops')
  const other = await make(people.owner, 'Board')
  const found = async (realm_id: number) => {
    const { groups } = await room.ask(findGroups, {
      realm_id,
      ids: [other],
      names: ['oPS', 'nothing', 'a\0b'],
    })
    return groups.map(({ id, name, member_ids }) => [id, name, member_ids])
  }
  expect(await found(realm.id)).toEqual([
    [other, 'Board', []],
    [one, 'Ops', []],
  ])
  const elsewhere = await openTestOrganization(room)
  expect(await found(elsewhere.realm.id)).toEqual([])
})

describe('system groups', () => {
  it('are nested, hold people by their role, and change for nobody', async () => {
    const { user_groups } = await room.call(listUserGroups, people.guest)
    const byName = new Map(user_groups.map((group: UserGroup) => [group.name, group]))
    expect(byName.get('role:moderators')).toMatchObject({
      members: ids(people.moderator),
      direct_subgroup_ids: [system['role:administrators']],
      is_system_group: true,
      can_manage_group: system['role:nobody'],
    })
    expect(byName.get('role:fullmembers')!.members).toEqual(ids(people.member))
    expect(await within(system['role:moderators']!)).toEqual(
      ids(people.owner, people.administrator, people.moderator),
    )
    expect(await within(system['role:nobody']!)).toEqual([])
    await expect(update(people.owner, system['role:members']!, { name: 'X' })).rejects.toMatchObject(refused)
    await expect(
      members(people.owner, system['role:owners']!, { add: list(people.guest.user.id) }),
    ).rejects.toMatchObject(refused)
  })

  it('hold new members back for the waiting period', async () => {
    const { sql } = room.deps.database
    await sql`UPDATE realms SET settings = '{"waiting_period_threshold": 3}' WHERE id = ${realm.id}`
    await sql`UPDATE users SET date_joined = now() - interval '4 days' WHERE id = ${people.guest.user.id}`
    expect(await within(system['role:fullmembers']!)).not.toContain(people.member.user.id)
    await sql`UPDATE users SET date_joined = now() - interval '4 days' WHERE id = ${people.member.user.id}`
    expect(await within(system['role:fullmembers']!)).toContain(people.member.user.id)
  })

  it('are told of a change of role', async () => {
    await room.call(updateUser, people.owner, { role: '300' }, { user_id: String(people.member.user.id) })
    const { events } = await told()
    expect(events.slice(1).map(({ op, group_id }) => [op, group_id])).toEqual([
      ['remove_members', system['role:fullmembers']],
      ['add_members', system['role:moderators']],
    ])
  })
})

describe('a user group', () => {
  it('is made by members, with their settings, and told to everyone', async () => {
    await expect(make(people.guest, 'Guests')).rejects.toMatchObject(refused)
    const id = await make(people.member, ' Backend ', {
      members: list(people.guest.user.id),
      subgroups: list(system['role:moderators']!),
      can_mention_group: JSON.stringify({ direct_members: [], direct_subgroups: [system['role:members']] }),
    })
    const { events, facts } = await told()
    expect(events).toEqual([
      expect.objectContaining({
        op: 'add',
        group: expect.objectContaining({
          id,
          name: 'Backend',
          creator_id: people.member.user.id,
          members: ids(people.guest),
          direct_subgroup_ids: [system['role:moderators']],
          can_manage_group: { direct_members: ids(people.member), direct_subgroups: [] },
          can_mention_group: system['role:members'],
          can_leave_group: system['role:everyone'],
          deactivated: false,
        }),
      }),
    ])
    expect(facts).toEqual([expect.objectContaining({ id, member_ids: ids(people.guest), version: 1 })])
    expect(await within(id)).toEqual(ids(people.owner, people.administrator, people.moderator, people.guest))
  })

  it.each([
    [{ name: '' }, 'BAD_REQUEST'],
    [{ name: 'role:x' }, 'BAD_REQUEST'],
    [{ name: '@x' }, 'BAD_REQUEST'],
    [{ name: 'x'.repeat(101) }, 'BAD_REQUEST'],
    [{ name: 'TAKEN' }, 'BAD_REQUEST'],
    [{ members: '[999999]' }, 'BAD_REQUEST'],
    [{ subgroups: '[999999]' }, 'BAD_REQUEST'],
    [{ can_manage_group: '999999' }, 'BAD_REQUEST'],
    [{ can_manage_group: '{"direct_members":[999999],"direct_subgroups":[]}' }, 'BAD_REQUEST'],
    [{ can_manage_group: '{"direct_members":[],"direct_subgroups":[],"x":1}' }, 'BAD_REQUEST'],
  ])('is not made with %j', async (sent, error) => {
    await make(people.owner, 'Taken')
    await expect(make(people.owner, 'New', Object.fromEntries(Object.entries(sent)))).rejects.toMatchObject({
      error,
    })
  })

  it('is changed by those who may manage it, and not over what they have not seen', async () => {
    const id = await make(people.member, 'Group')
    await told()
    for (const caller of [people.guest, people.moderator, people.administrator]) {
      await expect(update(caller, id, { name: 'Mine' })).rejects.toMatchObject(refused)
    }
    await update(people.owner, id, { name: 'Other', can_join_group: `{"new":${system['role:members']}}` })
    const { events } = await told()
    expect(events).toEqual([
      expect.objectContaining({
        op: 'update',
        data: { name: 'Other', can_join_group: system['role:members'] },
      }),
    ])
    await expect(
      update(people.member, id, {
        can_join_group: `{"new":${system['role:nobody']},"old":${system['role:nobody']}}`,
      }),
    ).rejects.toMatchObject({ error: 'EXPECTATION_MISMATCH' })
    const refusedValue = update(people.member, id, { can_manage_group: `{"new":${system['role:everyone']}}` })
    await expect(refusedValue).rejects.toMatchObject({ error: 'BAD_REQUEST' })
  })

  it('is joined and left by oneself where its settings let one, and by nobody else', async () => {
    const id = await make(people.owner, 'Open', { can_join_group: String(system['role:members']) })
    const self = list(people.member.user.id)
    await expect(members(people.guest, id, { add: list(people.guest.user.id) })).rejects.toMatchObject(
      refused,
    )
    await expect(members(people.member, id, { add: list(people.guest.user.id) })).rejects.toMatchObject(
      refused,
    )
    await members(people.member, id, { add: self })
    await expect(members(people.member, id, { add: self })).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    await expect(members(people.moderator, id, { delete: self })).rejects.toMatchObject(refused)
    await members(people.member, id, { delete: self })
    await expect(members(people.member, id, {})).rejects.toMatchObject({ error: 'BAD_REQUEST' })
    expect(await within(id)).toEqual([])
  })

  it('holds what its subgroups hold, never itself, and is decided without recursion', async () => {
    const { sql } = room.deps.database
    const chain: number[] = []
    for (let level = 0; level < 5; level += 1) {
      chain.push(await make(people.owner, `Level ${level}`, { subgroups: list(...chain.slice(-1)) }))
    }
    const [innermost, , , , outermost] = chain as [number, number, number, number, number]
    await members(people.owner, innermost, { add: list(people.guest.user.id) })
    expect(await within(outermost)).toEqual(ids(people.guest))
    expect((await permissionsOf(sql, realm.id, people.guest.user.id)).includes(outermost)).toBe(true)
    await expect(members(people.owner, innermost, { add_subgroups: list(outermost) })).rejects.toMatchObject({
      error: 'BAD_REQUEST',
    })
    await expect(members(people.owner, innermost, { add_subgroups: list(innermost) })).rejects.toMatchObject({
      error: 'BAD_REQUEST',
    })
    expect((await room.call(listUserGroupSubgroups, people.guest, {}, path(outermost))).subgroups).toEqual(
      chain.slice(0, 4),
    )
    await members(people.owner, chain[2]!, { delete_subgroups: list(chain[1]!) })
    expect(await within(outermost)).toEqual([])
    const there = { user_group_id: String(outermost), user_id: String(people.guest.user.id) }
    expect(await room.call(getUserGroupMember, people.guest, {}, there)).toEqual({
      is_user_group_member: false,
    })
  })

  it('never becomes part of a circle when two are put into each other at once', async () => {
    const [one, two] = [await make(people.owner, 'One'), await make(people.owner, 'Two')]
    const outcomes = await Promise.allSettled([
      members(people.owner, one, { add_subgroups: list(two) }),
      members(people.owner, two, { add_subgroups: list(one) }),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('shows active members only', async () => {
    const id = await make(people.owner, 'Group', { members: list(...ids(people.member, people.guest)) })
    await room.call(endUser, people.owner, {}, { user_id: String(people.guest.user.id) })
    expect(await within(id)).toEqual(ids(people.member))
  })

  it('does not exist for another organization', async () => {
    const id = await make(people.owner, 'Group')
    const other = await openTestOrganization(room)
    await expect(room.call(listUserGroupMembers, other.people.owner, {}, path(id))).rejects.toMatchObject({
      message: 'Invalid user group',
    })
    await expect(make(other.people.owner, 'Theirs', { subgroups: list(id) })).rejects.toMatchObject({
      error: 'BAD_REQUEST',
    })
  })
})

describe('deactivating a group', () => {
  it('is refused while it is used, and says where', async () => {
    const id = await make(people.owner, 'Used')
    const outer = await make(people.owner, 'Outer', { subgroups: list(id) })
    const guarded = await make(people.owner, 'Guarded', {
      can_mention_group: JSON.stringify({ direct_members: ids(people.owner), direct_subgroups: [id] }),
    })
    await room.deps.database.sql`
      UPDATE realms SET settings = jsonb_build_object('can_create_groups', ${id}::bigint) WHERE id = ${realm.id}`
    usedInChannels = [{ channel_id: 7, settings: ['can_send_message_group'] }]
    await expect(room.call(deactivateUserGroup, people.owner, {}, path(id))).rejects.toMatchObject({
      error: 'CANNOT_DEACTIVATE_GROUP_IN_USE',
      fields: {
        objections: [
          { type: 'realm', settings: ['can_create_groups'] },
          { type: 'subgroup', supergroup_ids: [outer] },
          { type: 'channel', channel_id: 7, settings: ['can_send_message_group'] },
          { type: 'user_group', group_id: guarded, settings: ['can_mention_group'] },
        ],
      },
    })
  })

  it('hides it, keeps it from new use, and is undone', async () => {
    const id = await make(people.member, 'Group')
    await expect(room.call(deactivateUserGroup, people.guest, {}, path(id))).rejects.toMatchObject(refused)
    await room.call(deactivateUserGroup, people.member, {}, path(id))
    const shown = async (sent = {}) =>
      (await room.call(listUserGroups, people.guest, sent)).user_groups.map((group: UserGroup) => group.id)
    expect(await shown()).not.toContain(id)
    expect(await shown({ include_deactivated_groups: 'true' })).toContain(id)
    await expect(make(people.owner, 'Outer', { subgroups: list(id) })).rejects.toMatchObject({
      error: 'BAD_REQUEST',
    })
    // It is got ready for its return.
    await members(people.member, id, { add: list(people.guest.user.id) })
    await update(people.member, id, { name: 'Renamed', deactivated: 'true' })
    expect(await shown()).not.toContain(id)
    await update(people.member, id, { deactivated: 'false' })
    expect(await shown()).toContain(id)
  })
})
