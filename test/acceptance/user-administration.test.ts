import { grantUserPermission } from '@parley/contracts/identity/internals'
import { Client, EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let admin: TestUser
let member: TestUser

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ name: 'Olga Owner', role: 'owner' })
  admin = await world.user({ name: 'Ada Admin', role: 'administrator' })
  member = await world.user({ name: 'Max Member' })
})

describe('administering accounts', () => {
  it('is not for members, guests, strangers or other organizations', async () => {
    const guest = await world.user({ role: 'guest' })
    for (const client of [member, guest]) {
      for (const refused of [
        client.patch(`/users/${guest.id}`, { full_name: 'X' }),
        client.delete(`/users/${guest.id}`),
        client.post(`/users/${guest.id}/reactivate`),
        client.post('/users', { email: 'a@b.example', password: '123456', full_name: 'A' }),
      ]) {
        const { status, body } = await refused
        expect([status, body.code]).toEqual([400, 'UNAUTHORIZED_PRINCIPAL'])
      }
    }
    expect((await world.stranger().patch(`/users/${guest.id}`, { role: 100 })).status).toBe(401)
    const foreigner = await (await World.create()).user({ role: 'owner' })
    expect((await foreigner.patch(`/users/${guest.id}`, { full_name: 'X' })).body.msg).toBe('No such user')
  })

  it('changes a role everywhere within a second, and tells everyone', async () => {
    const target = await world.user({ name: 'Tara Target' })
    const reader = await EventReader.register(member, { event_types: ['realm_user'] })
    await succeeded(target.get('/users/me'))
    await succeeded(owner.patch(`/users/${target.id}`, { role: 200, full_name: 'Tara Tall' }))
    const events = await reader.until((event) => event.person.role !== undefined)
    expect(events.map(({ person }) => person)).toEqual([
      { user_id: target.id, full_name: 'Tara Tall' },
      { user_id: target.id, role: 200 },
    ])
    await eventually(async () => {
      await succeeded(target.patch(`/users/${target.id}`, { full_name: 'Tara Tiny' }))
    }, 1)
    expect((await succeeded(member.get(`/users/${target.email}`))).user.full_name).toBe('Tara Tiny')
  })

  it('keeps an owner, whatever administrators and owners try', async () => {
    expect((await admin.patch(`/users/${owner.id}`, { role: 400 })).body.code).toBe('UNAUTHORIZED_PRINCIPAL')
    expect((await owner.patch(`/users/${owner.id}`, { role: 400 })).body.code).toBe('BAD_REQUEST')
    expect((await owner.delete('/users/me')).body).toMatchObject({
      code: 'CANNOT_DEACTIVATE_LAST_USER',
      is_last_owner: true,
      entity: 'organization owner',
    })
  })

  it('ends an account and brings it back', async () => {
    const target = await world.user({ name: 'Leaving' })
    await succeeded(admin.delete(`/users/${target.id}`))
    await eventually(
      async () => expect((await target.get('/users/me')).body.code).toBe('USER_DEACTIVATED'),
      1,
    )
    await succeeded(admin.post(`/users/${target.id}/reactivate`))
    await eventually(async () => expect((await target.get('/users/me')).status).toBe(200), 1)
    await succeeded(target.delete('/users/me'))
  })

  it('makes accounts that can log in, for who may', async () => {
    const wishes = { email: 'new@b.example', password: 'correct horse', full_name: 'New' }
    expect((await admin.post('/users', wishes)).body.code).toBe('BAD_REQUEST')
    await world.ask(grantUserPermission, {
      realm: world.subdomain,
      email: admin.email,
      permission: 'can_create_users',
      is_granted: true,
    })
    const { user_id } = await succeeded(admin.post('/users', wishes))
    const key = await succeeded(
      world.stranger().post('/fetch_api_key', { username: wishes.email, password: wishes.password }),
    )
    expect(key.user_id).toBe(user_id)
  })
})

describe('an own key', () => {
  it('is replaced: the old one ends within a second, the new one works at once', async () => {
    const person = await world.user()
    await succeeded(person.get('/users/me'))
    const { api_key } = await succeeded(person.post('/users/me/api_key/regenerate'))
    const renewed = new Client(world.stack.origin, world.host, { email: person.email, key: api_key })
    await succeeded(renewed.get('/users/me'))
    await eventually(async () => expect((await person.get('/users/me')).status).toBe(401), 1)
  })
})
