import { Client, EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { request } from 'undici'
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

/** One pixel. */
const photo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

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

  it('come with a picture, get another one, and it is shown wherever they are', async () => {
    const sendForm = async (as: Client, method: string, path: string, fields: object, ...files: Buffer[]) => {
      const form = new FormData()
      // The file first: what stands after it counts as well.
      for (const content of files) form.append('file', new Blob([content]), 'p.jpg')
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
      const encoded = new Response(form)
      const headers = { 'content-type': encoded.headers.get('content-type')! }
      return as.send(method, path, Buffer.from(await encoded.arrayBuffer()), headers)
    }
    const sizeOf = async (address: string) => {
      const headers = { host: world.host }
      const answer = await request(`${world.stack.origin}${address}`, { headers })
      const picture = Buffer.from(await answer.body.arrayBuffer())
      // A PNG says it there.
      return answer.statusCode === 200 ? picture.readUInt32BE(16) : answer.statusCode
    }
    const reader = await EventReader.register(guest, {
      event_types: ['realm_user'],
      client_gravatar: false,
    })
    const names = (suffix: string) => ({ full_name: `Pictured ${suffix}`, short_name: `pictured-${suffix}` })
    const bot = await succeeded(sendForm(member, 'POST', '/bots', names('one'), photo))
    expect(bot.avatar_url).toBe(`/user_avatars/${world.realmId}/${bot.user_id}.png?version=1`)
    const added = await reader.waitFor(({ op }) => op === 'add')
    expect(added.person).toMatchObject({
      user_id: bot.user_id,
      avatar_url: bot.avatar_url,
      avatar_version: 1,
    })
    expect(await sizeOf(bot.avatar_url)).toBe(100)

    expect(await succeeded(sendForm(owner, 'PATCH', `/bots/${bot.user_id}`, {}, photo))).toEqual({
      result: 'success',
      msg: '',
    })
    const { person } = await reader.waitFor(({ op }) => op === 'update')
    const avatar_url = bot.avatar_url.replace('version=1', 'version=2')
    const avatar_url_medium = avatar_url.replace('.png', '-medium.png')
    expect(person).toEqual({
      user_id: bot.user_id,
      avatar_source: 'U',
      avatar_url,
      avatar_url_medium,
      avatar_version: 2,
    })
    expect(await sizeOf(avatar_url_medium)).toBe(500)
    const { user } = await succeeded(guest.get(`/users/${bot.user_id}`))
    expect([user.avatar_url, user.avatar_version]).toEqual([avatar_url, 2])

    const refusals = [
      [await sendForm(member, 'POST', '/bots', names('two'), photo, photo), 'BAD_REQUEST'],
      [await sendForm(member, 'POST', '/bots', names('two'), Buffer.from('<svg/>')), 'BAD_IMAGE'],
      [await sendForm(member, 'POST', '/bots', names('two'), Buffer.alloc(6 * 1024 * 1024)), 'BAD_REQUEST'],
      [await sendForm(guest, 'POST', '/bots', names('two'), photo), 'BAD_REQUEST'],
      [await sendForm(guest, 'PATCH', `/bots/${bot.user_id}`, names('two'), photo), 'BAD_REQUEST'],
      [await sendForm(member, 'PATCH', `/bots/${bot.user_id}`, names('two'), photo, photo), 'BAD_REQUEST'],
    ] as const
    for (const [{ status, body }, code] of refusals) expect([status, body.code]).toEqual([400, code])
    expect(refusals[2][0].body.msg).toContain('5 MiB')
    const { members } = await succeeded(member.get('/users'))
    expect(members.map(({ full_name }: { full_name: string }) => full_name)).not.toContain('Pictured two')
    await succeeded(sendForm(member, 'POST', '/bots', names('two')))
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
