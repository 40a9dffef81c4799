import type { KnownCaller, RoleName } from '@parley/contracts'
import { type SystemGroupName, systemGroupNames } from '@parley/contracts/identity/topics'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultGroupSettings } from '../channels/channel-rules.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { isInGroup } from './actor.ts'
import { mayRemoveSubscriber, mayToMessages } from './channel-permissions.ts'
import { findActor, isNamed } from './find-actor.ts'
import { isNamedBy, saveGroup } from './group-store.ts'
import { mayInRealm, realmPermission, realmSetting } from './realm-permissions.ts'

let room: TestRoom
const people = {} as Record<RoleName | 'newcomer' | 'undated', KnownCaller>

const joinedDaysAgo = (days: number) => ({
  date_joined: new Date(Date.now() - days * 86_400_000).toISOString(),
})

beforeAll(async () => {
  room = await openTestRoom()
  for (const role of ['owner', 'administrator', 'moderator', 'member', 'guest'] as const) {
    people[role] = await room.person(role, joinedDaysAgo(5))
  }
  people.newcomer = await room.person('member', joinedDaysAgo(1))
  people.undated = await room.person('member')
})
afterAll(() => room.close())

const realm = () => room.deps.realms.get(room.realm.id)
const system = (name: SystemGroupName) => room.realm.system_groups[name]

/** Who is named by a value, by each of the three ways in which that is asked; they must agree. */
const named = async (value: GroupSettingValue): Promise<string[]> => {
  const { sql } = room.deps.database
  const listed = await sql<{ id: number }[]>`
    SELECT u.id FROM users u WHERE u.realm_id = ${room.realm.id} AND ${isNamedBy(sql, await realm(), [value])}`
  const names: string[] = []
  for (const [name, { user }] of Object.entries(people)) {
    const isIn = isInGroup(await findActor(room.deps, user, await realm()), value)
    expect(await isNamed(room.deps, user, await realm(), value)).toBe(isIn)
    expect(listed.some(({ id }) => id === user.id)).toBe(isIn)
    if (isIn) names.push(name)
  }
  return names
}

describe('a group-valued setting', () => {
  it('names by system groups who has the role, or a higher one, and has waited long enough', async () => {
    const members = ['member', 'newcomer', 'undated']
    const above = ['owner', 'administrator', 'moderator']
    const expected: Record<SystemGroupName, string[]> = {
      'role:owners': ['owner'],
      'role:administrators': ['owner', 'administrator'],
      'role:moderators': above,
      'role:fullmembers': [...above, ...members],
      'role:members': [...above, ...members],
      'role:everyone': [...above, ...members, 'guest'],
      'role:internet': [...above, ...members, 'guest'],
      'role:nobody': [],
    }
    for (const name of systemGroupNames) {
      expect((await named(system(name))).toSorted(), name).toEqual(expected[name].toSorted())
    }
    await room.settle({ waiting_period_threshold: 3 })
    expect(await named(system('role:fullmembers'))).toEqual([...above, 'member'])
    await room.settle({ waiting_period_threshold: 0 })
  })

  it('names by groups their members, those of subgroups however deep, and of system groups in them', async () => {
    const inner = await room.group({ members: [people.guest] })
    const middle = await room.group({ members: [people.newcomer], subgroups: [inner] })
    const outer = await room.group({ subgroups: [middle, system('role:administrators')] })
    expect(await named(inner)).toEqual(['guest'])
    expect(await named(middle)).toEqual(['guest', 'newcomer'])
    expect(await named(outer)).toEqual(['owner', 'administrator', 'guest', 'newcomer'])
    expect(await named({ direct_members: [people.member.user.id], direct_subgroups: [inner] })).toEqual([
      'member',
      'guest',
    ])
    expect(await named({ direct_members: [], direct_subgroups: [] })).toEqual([])
    expect(await named(987_654)).toEqual([])
  })

  it('follows changes of a group, and no older state of it', async () => {
    const group = {
      id: 900,
      realm_id: room.realm.id,
      name: 'changing',
      is_system_group: false,
      is_active: true,
      member_ids: [people.guest.user.id],
      subgroup_ids: [system('role:owners')],
      can_mention_group: system('role:everyone'),
      version: 2,
    }
    const { sql } = room.deps.database
    await saveGroup(sql, group)
    await saveGroup(sql, { ...group, member_ids: [people.member.user.id], version: 1 })
    expect(await named(900)).toEqual(['owner', 'guest'])
    await saveGroup(sql, { ...group, member_ids: [people.member.user.id], subgroup_ids: [], version: 3 })
    expect(await named(900)).toEqual(['member'])
  })
})

describe('settings of the organization', () => {
  it('are those in force, or their defaults', async () => {
    expect(realmSetting(await realm(), 'message_content_edit_limit_seconds')).toBe(600)
    expect(realmPermission(await realm(), 'can_create_web_public_channel_group')).toBe(system('role:owners'))
    await room.settle({
      message_content_edit_limit_seconds: null,
      can_create_public_channel_group: {
        direct_members: [people.guest.user.id],
        direct_subgroups: [],
      },
    })
    expect(realmSetting(await realm(), 'message_content_edit_limit_seconds')).toBeNull()
    const may = async (who: KnownCaller) =>
      mayInRealm(
        await findActor(room.deps, who.user, await realm()),
        await realm(),
        'can_create_public_channel_group',
      )
    expect(await may(people.guest)).toBe(true)
    expect(await may(people.owner)).toBe(false)
  })
})

describe('a channel', () => {
  it('adds to what the organization permits, and takes nothing from it', async () => {
    const nobody = system('role:nobody')
    await room.settle({ can_delete_any_message_group: system('role:owners') })
    const may = async (who: KnownCaller, value: GroupSettingValue) => {
      const group_settings = {
        ...defaultGroupSettings(people.undated.user.id, room.realm.system_groups),
        can_delete_any_message_group: value,
      }
      const channel = { invite_only: false, is_web_public: false, group_settings }
      const actor = await findActor(room.deps, who.user, await realm())
      return mayToMessages(actor, await realm(), channel, 'can_delete_any_message_group')
    }
    expect(await may(people.owner, nobody)).toBe(true)
    expect(await may(people.administrator, nobody)).toBe(false)
    expect(await may(people.member, { direct_members: [people.member.user.id], direct_subgroups: [] })).toBe(
      true,
    )
  })

  it('lets owners of bots take these out of channels that they know', async () => {
    const channel = {
      invite_only: true,
      is_web_public: false,
      group_settings: defaultGroupSettings(people.owner.user.id, room.realm.system_groups),
    }
    const actor = await findActor(room.deps, people.member.user, await realm())
    const own = { bot_owner_id: actor.id }
    expect(mayRemoveSubscriber(actor, channel, true, own)).toBe(true)
    expect(mayRemoveSubscriber(actor, channel, false, own)).toBe(false)
    expect(mayRemoveSubscriber(actor, channel, true, { bot_owner_id: null })).toBe(false)
  })
})
