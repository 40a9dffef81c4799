import { EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let admin: TestUser
let member: TestUser

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ role: 'owner' })
  admin = await world.user({ role: 'administrator', password: 'correct horse' })
  member = await world.user()
})

describe('PATCH /realm', () => {
  it('tells everyone, and is in the state of whoever registers afterwards', async () => {
    const reader = await EventReader.register(member, { event_types: ['realm'] })
    expect(reader.state.realm_presence_disabled).toBe(false)
    await succeeded(admin.patch('/realm', { presence_disabled: true }))
    await succeeded(admin.patch('/realm', { name: 'Acme', description: 'Us' }))
    const events = await reader.until(({ op }) => op === 'update_dict')
    expect(events).toMatchObject([
      { op: 'update', property: 'presence_disabled', value: true },
      { op: 'update_dict', property: 'default', data: { name: 'Acme', description: 'Us' } },
    ])
    const { state } = await EventReader.register(member, { fetch_event_types: ['realm'] })
    expect(state).toMatchObject({
      realm_presence_disabled: true,
      realm_name: 'Acme',
      realm_description: 'Us',
    })
  })

  it('is for administrators, in part for owners, of this organization', async () => {
    for (const [client, sent] of [
      [member, { name: 'Mine' }],
      [admin, { invite_required: false }],
    ] as const) {
      expect((await client.patch('/realm', sent)).body.code).toBe('UNAUTHORIZED_PRINCIPAL')
    }
    expect((await world.stranger().patch('/realm', { name: 'Mine' })).status).toBe(401)
    const body = await succeeded(owner.patch('/realm', { colour: 'red' }))
    expect(body.ignored_parameters_unsupported).toEqual(['colour'])
  })

  it('decides who may make groups and bots, at once', async () => {
    const { state } = await EventReader.register(owner, { fetch_event_types: ['realm', 'realm_user_groups'] })
    const named = (name: string) =>
      state.realm_user_groups.find((group: { name: string }) => group.name === name).id
    const nobody = { new: named('role:nobody'), old: state.realm_can_create_bots_group }
    await succeeded(owner.patch('/realm', { can_create_bots_group: nobody }))
    const refused = await member.post('/bots', { full_name: 'Bot', short_name: 'bot' })
    expect(refused.body.msg).toBe('Insufficient permission')
    expect((await owner.patch('/realm', { can_create_bots_group: nobody })).body.code).toBe(
      'EXPECTATION_MISMATCH',
    )
  })

  it('ends logging in by password', async () => {
    const logIn = () =>
      world.stranger().post('/fetch_api_key', { username: admin.email, password: 'correct horse' })
    await succeeded(logIn())
    await succeeded(owner.patch('/realm', { authentication_methods: { Email: false } }))
    await eventually(async () => expect((await logIn()).body.code).toBe('PASSWORD_AUTH_DISABLED'), 1)
    expect((await succeeded(world.stranger().get('/server_settings'))).email_auth_enabled).toBe(false)
  })
})
