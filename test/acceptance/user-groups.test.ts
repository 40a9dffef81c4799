import { EventReader, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let member: TestUser
let guest: TestUser

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ role: 'owner' })
  member = await world.user()
  guest = await world.user({ role: 'guest' })
})

let made = 0
const makeGroup = async (maker: TestUser): Promise<number> => {
  made += 1
  const wishes = { name: `Group ${made}`, description: '', members: [maker.id] }
  return (await succeeded(maker.post('/user_groups/create', wishes))).group_id
}

describe('user groups', () => {
  it('are told to everyone as they are made, filled and changed', async () => {
    const reader = await EventReader.register(guest, {
      event_types: ['user_group'],
      client_capabilities: { include_deactivated_groups: true },
    })
    const group_id = await makeGroup(member)
    await succeeded(member.post(`/user_groups/${group_id}/members`, { add: [guest.id] }))
    await succeeded(owner.patch(`/user_groups/${group_id}`, { description: 'Us' }))
    await succeeded(owner.post(`/user_groups/${group_id}/deactivate`))
    const all = await reader.until((event) => event.data?.deactivated === true)
    const events = all.filter((event) => (event.group?.id ?? event.group_id) === group_id)
    expect(events.map(({ op, data, user_ids }) => [op, data ?? user_ids])).toEqual([
      ['add', undefined],
      ['add_members', [guest.id]],
      ['update', { description: 'Us' }],
      ['update', { deactivated: true }],
    ])
    expect(Object.keys(events[3]).sort()).toEqual(['data', 'group_id', 'id', 'op', 'type'])
  })

  it('go and come back for clients that do not know deactivated ones', async () => {
    const group_id = await makeGroup(member)
    const reader = await EventReader.register(guest, { event_types: ['user_group', 'realm_user_groups'] })
    expect(reader.state.realm_user_groups.map(({ id }: { id: number }) => id)).toContain(group_id)
    await succeeded(member.post(`/user_groups/${group_id}/deactivate`))
    await succeeded(member.patch(`/user_groups/${group_id}`, { name: 'Hidden meanwhile' }))
    await succeeded(member.post(`/user_groups/${group_id}/members`, { add: [guest.id] }))
    await succeeded(member.patch(`/user_groups/${group_id}`, { deactivated: false }))
    const events = await reader.until(({ op }) => op === 'add')
    expect(events.map(({ op }) => op)).toEqual(['remove', 'add'])
    const back = { id: group_id, name: 'Hidden meanwhile', deactivated: false }
    expect(events[1].group).toMatchObject(back)
    expect(events[1].group.members).toContain(guest.id)
  })

  it('are managed by those whom they name, and unknown to other organizations', async () => {
    const group_id = await makeGroup(owner)
    const refusals = [
      member.patch(`/user_groups/${group_id}`, { name: 'Mine' }),
      member.post(`/user_groups/${group_id}/members`, { add: [guest.id] }),
      member.post(`/user_groups/${group_id}/subgroups`, { delete: [1] }),
      member.post(`/user_groups/${group_id}/deactivate`),
      guest.post('/user_groups/create', { name: 'Guests', description: '', members: [] }),
    ]
    for (const refused of refusals) expect((await refused).body.msg).toBe('Insufficient permission')
    const foreigner = await (await World.create()).user({ role: 'owner' })
    expect((await foreigner.get(`/user_groups/${group_id}/members`)).body.msg).toBe('Invalid user group')
    expect((await world.stranger().get('/user_groups')).status).toBe(401)
    expect(
      (await succeeded(guest.get(`/user_groups/${group_id}/members/${owner.id}`))).is_user_group_member,
    ).toBe(true)
  })
})
