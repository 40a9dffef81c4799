import { EventReader, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let member: TestUser

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ name: 'Olga Owner', role: 'owner' })
  member = await world.user({ name: 'Max Member' })
})

describe('users', () => {
  it('describes the caller', async () => {
    const body = await succeeded(member.get('/users/me'))
    expect(body).toMatchObject({
      user_id: member.id,
      email: member.email,
      delivery_email: member.email,
      full_name: 'Max Member',
      role: 400,
      is_owner: false,
      is_admin: false,
      is_guest: false,
      is_bot: false,
      is_active: true,
      bot_type: null,
      bot_owner_id: null,
      max_message_id: expect.any(Number),
    })
    expect(Date.parse(body.date_joined)).toBeLessThanOrEqual(Date.now())
  })

  it('describes another by ID', async () => {
    const { user } = await succeeded(member.get(`/users/${owner.id}`))
    expect(user).toMatchObject({
      user_id: owner.id,
      full_name: 'Olga Owner',
      role: 100,
      is_owner: true,
      is_admin: true,
    })
  })

  it('lists everybody once, or only those asked for', async () => {
    const { members } = await succeeded(member.get('/users'))
    const ids = members.map((user: { user_id: number }) => user.user_id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining([owner.id, member.id]))
    const some = await succeeded(member.get('/users', { user_ids: [owner.id] }))
    expect(some.members.map((user: { user_id: number }) => user.user_id)).toEqual([owner.id])
  })

  it("does not show another organization's users", async () => {
    const other = await (await World.create()).user()
    const absent = await member.get('/users/999999999')
    const foreign = await member.get(`/users/${other.id}`)
    expect(absent.status).toBe(400)
    expect(foreign.status).toBe(400)
    expect(foreign.body).toEqual(absent.body)
    const { members } = await succeeded(member.get('/users'))
    expect(members.map((user: { user_id: number }) => user.user_id)).not.toContain(other.id)
  })

  it.each([
    ['client_gravatar', 'maybe'],
    ['user_ids', 'all'],
    ['user_ids', '[1,"x"]'],
  ])('refuses a malformed %s=%s with a sentence', async (name, value) => {
    const answer = await member.get('/users', { [name]: value })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      result: 'error',
      code: 'BAD_REQUEST',
      msg: expect.stringContaining(name),
    })
  })

  it('reports parameters that it does not know', async () => {
    const body = await succeeded(member.get('/users/me', { dont_block: true, colour: 'red', client: 'me' }))
    expect(body.ignored_parameters_unsupported).toEqual(['dont_block', 'colour'])
  })

  it('tells those who are there of a newcomer', async () => {
    const reader = await EventReader.register(member, { event_types: ['realm_user'] })
    const newcomer = await world.user({ name: 'Nina New' })
    const event = await reader.waitFor((e) => e.type === 'realm_user' && e.op === 'add')
    expect(event.person).toMatchObject({ user_id: newcomer.id, full_name: 'Nina New', is_active: true })
  })
})
