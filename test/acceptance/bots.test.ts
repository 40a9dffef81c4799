import { Client, EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let owner: TestUser
let member: TestUser
let guest: TestUser

beforeAll(async () => {
  world = await World.create()
  owner = await world.user({ name: 'Olga Owner', role: 'owner' })
  member = await world.user({ name: 'Max Member' })
  guest = await world.user({ name: 'Gus Guest', role: 'guest' })
})

let made = 0
const makeBot = async (maker: TestUser) => {
  made += 1
  const wishes = { full_name: `Bot ${made}`, short_name: `bot${made}` }
  const bot = await succeeded(maker.post('/bots', wishes))
  const email = `bot${made}-bot@${world.host.split(':')[0]}`
  const as = (key: string) => new Client(world.stack.origin, world.host, { email, key })
  return { ...bot, email, as }
}

describe('bots', () => {
  it('are made by members, call with their own key, and are told to clients in order', async () => {
    const reader = await EventReader.register(member, { event_types: ['realm_user', 'realm_bot'] })
    const bot = await makeBot(member)
    const events = await reader.until((event) => event.type === 'realm_bot')
    expect(events.map(({ type, op }) => [type, op])).toEqual([
      ['realm_user', 'add'],
      ['realm_bot', 'add'],
    ])
    expect(await succeeded(bot.as(bot.api_key).get('/users/me'))).toMatchObject({
      user_id: bot.user_id,
      is_bot: true,
      bot_type: 1,
      bot_owner_id: member.id,
      email: bot.email,
    })
    const { state } = await EventReader.register(member, { fetch_event_types: ['realm_bot'] })
    expect(state.realm_bots.map((entry: { user_id: number }) => entry.user_id)).toContain(bot.user_id)
    const other = await EventReader.register(guest, { fetch_event_types: ['realm_bot'] })
    expect(other.state.realm_bots).toEqual([])
    expect((await guest.post('/bots', { full_name: 'X', short_name: 'x' })).body.code).toBe('BAD_REQUEST')
    expect((await world.stranger().post('/bots', {})).status).toBe(401)
  })

  it('stop working with an old key, and once deactivated, within a second', async () => {
    const bot = await makeBot(member)
    const before = bot.as(bot.api_key)
    await succeeded(before.get('/users/me'))
    const { api_key } = await succeeded(owner.post(`/bots/${bot.user_id}/api_key/regenerate`))
    await eventually(async () => expect((await before.get('/users/me')).status).toBe(401), 1)
    const after = bot.as(api_key)
    await succeeded(after.get('/users/me'))
    await succeeded(member.delete(`/bots/${bot.user_id}`))
    await eventually(async () => {
      expect((await after.get('/users/me')).body.code).toBe('USER_DEACTIVATED')
    }, 1)
  })

  it('are managed by their owner and administrators only', async () => {
    const bot = await makeBot(owner)
    const absent = await member.get('/bots/999999999/api_key')
    const hidden = await member.get(`/bots/${bot.user_id}/api_key`)
    expect(hidden.body).toEqual(absent.body)
    expect((await member.patch(`/bots/${bot.user_id}`, { full_name: 'Mine' })).body).toEqual(absent.body)
    const own = await makeBot(member)
    expect((await member.patch(`/bots/${own.user_id}`, { role: 200 })).body.code).toBe(
      'UNAUTHORIZED_PRINCIPAL',
    )
    const foreigner = await (await World.create()).user({ role: 'owner' })
    expect((await foreigner.get(`/bots/${bot.user_id}/api_key`)).body).toEqual(absent.body)
  })

  it('have a storage that is theirs alone, and people have none', async () => {
    const bot = await makeBot(member)
    const client = bot.as(bot.api_key)
    await succeeded(client.put('/bot_storage', { storage: { mood: 'fine', day: 'long' } }))
    expect((await succeeded(client.get('/bot_storage', { keys: ['mood'] }))).storage).toEqual({
      mood: 'fine',
    })
    await succeeded(client.delete('/bot_storage', { keys: ['day'] }))
    expect((await succeeded(client.get('/bot_storage'))).storage).toEqual({ mood: 'fine' })
    for (const refused of [member.get('/bot_storage'), member.delete('/bot_storage')]) {
      const { status, body } = await refused
      expect([status, body.code]).toEqual([403, 'PERMISSION_DENIED'])
    }
  })
})
