import { deactivateUser } from '@parley/contracts/identity/internals'
import { Client, EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let world: World
let anna: TestUser

beforeAll(async () => {
  world = await World.create()
  anna = await world.user({ name: 'Anna', password: 'correct horse battery' })
})

describe('who may enter', () => {
  it('refuses a request without credentials', async () => {
    const answer = await world.stranger().get('/users/me')
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject({ result: 'error', code: 'UNAUTHORIZED' })
    expect(answer.headers['www-authenticate']).toContain('Basic')
  })

  it('answers a wrong key and an unknown user alike', async () => {
    const wrongKey = await world.stranger({ email: anna.email, key: 'x'.repeat(32) }).get('/users/me')
    const unknown = await world
      .stranger({ email: 'nobody@nowhere.example', key: 'x'.repeat(32) })
      .get('/users/me')
    expect(wrongKey.status).toBe(401)
    expect(wrongKey.body.code).toBe('INVALID_API_KEY')
    expect(unknown.status).toBe(wrongKey.status)
    expect(unknown.body).toEqual(wrongKey.body)
  })

  it.each(['', 'Basic', 'Basic !!!', 'Bearer abc', `Basic ${Buffer.from('no-colon').toString('base64')}`])(
    'answers a malformed Authorization header (%j) with an envelope',
    async (authorization) => {
      const answer = await world.stranger().send('GET', '/users/me', undefined, { authorization })
      expect(answer.status).toBe(401)
      expect(answer.body).toMatchObject({
        result: 'error',
        msg: expect.any(String),
        code: expect.any(String),
      })
    },
  )

  it("does not know another organization's key", async () => {
    const other = await World.create()
    const foreign = await other.user()
    const answer = await new Client(world.stack.origin, world.host, foreign.credentials).get('/users/me')
    expect(answer.status).toBe(401)
    expect(answer.body.code).toBe('INVALID_API_KEY')
  })

  it('knows no organization at an unknown host', async () => {
    const answer = await new Client(
      world.stack.origin,
      `nobody-here.${world.stack.host}`,
      anna.credentials,
    ).get('/users/me')
    expect(answer.status).toBe(404)
    expect(answer.body.code).toBe('NONEXISTENT_SUBDOMAIN')
  })

  it('shuts a deactivated user out within a second, everywhere', async () => {
    const leaving = await world.user({ name: 'Leaving' })
    const reader = await EventReader.register(leaving)
    await succeeded(leaving.get('/users/me'))
    await world.ask(deactivateUser, { realm: world.subdomain, email: leaving.email })
    await eventually(async () => {
      const answer = await leaving.get('/users/me')
      expect(answer.status).toBe(401)
      expect(answer.body.code).toBe('USER_DEACTIVATED')
    }, 1)
    const poll = await leaving.get('/events', {
      queue_id: reader.queueId,
      last_event_id: -1,
      dont_block: true,
    })
    expect(poll.status).toBe(401)
  })
})

describe('POST /fetch_api_key', () => {
  it('gives the key for the password, whatever the case of the address', async () => {
    const body = await succeeded(
      world.stranger().post('/fetch_api_key', {
        username: anna.email.toUpperCase(),
        password: 'correct horse battery',
      }),
    )
    expect(body).toEqual({
      result: 'success',
      msg: '',
      api_key: anna.credentials?.key,
      email: anna.email,
      user_id: anna.id,
    })
  })

  it('answers a wrong password and an unknown user alike', async () => {
    const wrong = await world.stranger().post('/fetch_api_key', { username: anna.email, password: 'wrong' })
    const unknown = await world
      .stranger()
      .post('/fetch_api_key', { username: 'x@y.example', password: 'wrong' })
    expect(wrong.status).toBe(401)
    expect(wrong.body.code).toBe('AUTHENTICATION_FAILED')
    expect(unknown.status).toBe(401)
    expect(unknown.body).toEqual(wrong.body)
  })

  it('names a missing parameter', async () => {
    const answer = await world.stranger().post('/fetch_api_key', { username: anna.email })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      result: 'error',
      msg: "Missing 'password' argument",
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'password',
    })
  })

  it('tells a deactivated user, who knows the password, why', async () => {
    const gone = await world.user({ password: 'a password of mine' })
    await world.ask(deactivateUser, { realm: world.subdomain, email: gone.email })
    const answer = await world
      .stranger()
      .post('/fetch_api_key', { username: gone.email, password: 'a password of mine' })
    expect(answer.status).toBe(401)
    expect(answer.body.code).toBe('USER_DEACTIVATED')
  })
})

describe('POST /dev_fetch_api_key', () => {
  it('gives the key without a password in development mode', async () => {
    const body = await succeeded(world.stranger().post('/dev_fetch_api_key', { username: anna.email }))
    expect(body).toMatchObject({ api_key: anna.credentials?.key, email: anna.email, user_id: anna.id })
  })

  it('takes the name from the query too, and knows no strangers', async () => {
    await succeeded(world.stranger().post(`/dev_fetch_api_key?username=${encodeURIComponent(anna.email)}`))
    const answer = await world.stranger().post('/dev_fetch_api_key', { username: 'x@y.example' })
    expect(answer.status).toBe(401)
    expect(answer.body.code).toBe('AUTHENTICATION_FAILED')
  })
})

describe('GET /server_settings', () => {
  it.each([
    ['without credentials', () => world.stranger()],
    ['with good ones', () => anna],
    ['with bad ones', () => world.stranger({ email: 'a@b.example', key: 'bad' })],
  ])('tells a client about the server %s', async (_case, client) => {
    const body = await succeeded(client().get('/server_settings'))
    expect(body).toMatchObject({
      service_feature_level: 509,
      zulip_feature_level: 509,
      zulip_version: expect.any(String),
      zulip_merge_base: expect.any(String),
      realm_url: `http://${world.host}`,
      realm_uri: `http://${world.host}`,
      authentication_methods: expect.objectContaining({ password: true, email: true }),
      external_authentication_methods: [],
      push_notifications_enabled: false,
      is_incompatible: false,
      email_auth_enabled: true,
      require_email_format_usernames: true,
      realm_web_public_access_enabled: expect.any(Boolean),
    })
    for (const name of ['realm_name', 'realm_icon', 'realm_description'])
      expect(body[name]).toEqual(expect.any(String))
  })
})

describe('a password of one’s own', () => {
  /** A browser that logs in with a password. */
  const browser = async (username: string, password: string) => {
    const nobody = world.stranger()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const logIn = new URLSearchParams({ username, password }).toString()
    const { status, headers } = await nobody.sendRaw('POST', '/json/login', logIn, form)
    expect(status).toBe(200)
    const cookies = [headers['set-cookie'] ?? []].flat().map((line) => line.split(';')[0]!)
    const token = cookies.find((line) => line.startsWith('csrftoken='))!.slice('csrftoken='.length)
    return (method: string, path: string, sent?: Record<string, string>) =>
      nobody.sendRaw(method, `/json${path}`, sent && new URLSearchParams(sent).toString(), {
        ...form,
        cookie: cookies.join('; '),
        'x-csrftoken': token,
      })
  }

  it('that changes ends all browsers but the one it was changed in, and leaves the key', async () => {
    const old = { name: 'Nora', password: 'umbrella giraffe tangent 9' }
    const nora = await world.user(old)
    const change = { old_password: old.password, new_password: 'another giraffe umbrella 7' }
    const [own, other] = [await browser(nora.email, old.password), await browser(nora.email, old.password)]
    expect((await other('GET', '/users/me')).status).toBe(200)
    const wrong = await own('PATCH', '/settings', { ...change, old_password: 'a guess' })
    expect([wrong.status, JSON.parse(wrong.text).code]).toEqual([400, 'BAD_REQUEST'])
    expect((await own('PATCH', '/settings', change)).status).toBe(200)
    await eventually(async () => expect((await other('GET', '/users/me')).status).toBe(401))
    expect((await own('GET', '/users/me')).status).toBe(200)
    const later = await browser(nora.email, change.new_password)
    expect((await later('GET', '/users/me')).status).toBe(200)
    // Who has only the key is no browser: all of them end.
    const back = { old_password: change.new_password, new_password: old.password }
    await succeeded(nora.patch('/settings', back))
    for (const one of [own, later])
      await eventually(async () => expect((await one('GET', '/users/me')).status).toBe(401))
  })
})
