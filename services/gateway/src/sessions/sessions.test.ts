import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { Redis } from 'ioredis'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { accounts, type House, hamlet, smallHouse } from '../testing/small-house.ts'

const url = process.env.REDIS_URL
if (url === undefined) throw new Error('REDIS_URL is not set: run through npm test, or start a stack')
const redis = new Redis(url, { keyPrefix: `test:${randomUUID()}:` })
afterAll(() => redis.disconnect())

let house: House
afterEach(() => house.close())

/** Log-ins as identity answers them: everybody's password is `right`. */
const identity: RequestListener = async (request, response) => {
  if (!request.url?.includes('fetch_api_key')) {
    response.end('{"result":"success","msg":""}')
    return
  }
  const form = new URLSearchParams(await text(request))
  const name = form.get('username') ?? ''
  const account = accounts[name]
  const isRight = account !== undefined && (form.get('password') === 'right' || request.url.includes('dev_'))
  response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify(
      isRight
        ? { result: 'success', msg: '', api_key: 'secret', email: name, user_id: account.id }
        : { result: 'error', msg: 'Wrong.', code: 'AUTHENTICATION_FAILED' },
    ),
  )
}

const open = async (parts: Parameters<typeof smallHouse>[0] = {}): Promise<void> => {
  house = await smallHouse({ redis, identity, ...parts })
}

interface Browser {
  cookie: string
  csrf: string
}

const cookiesOf = (answer: Response): Record<string, string> =>
  Object.fromEntries(
    answer.headers.getSetCookie().map((line) => [line.split('=')[0]!, line.split(/[=;]/)[1]!]),
  )

const logIn = (headers: Record<string, string> = {}, username = 'hamlet@example.org', password = 'right') =>
  house.fetch('/json/login', {
    method: 'POST',
    as: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ username, password }).toString(),
  })

const browserOf = (answer: Response): Browser => {
  const { session, csrftoken } = cookiesOf(answer)
  return { cookie: `a=b; session=${session}; csrftoken=${csrftoken}`, csrf: csrftoken! }
}

const loggedIn = async (): Promise<Browser> => browserOf(await logIn())

const visit = (browser: Browser, method: string, path: string, headers: Record<string, string> = {}) =>
  house.fetch(path, {
    method,
    as: null,
    headers: {
      cookie: browser.cookie,
      ...(method === 'GET' ? {} : { 'x-csrftoken': browser.csrf }),
      ...headers,
    },
  })

const codeOf = async (answer: Response): Promise<string> =>
  `${answer.status} ${((await answer.json()) as { code?: string }).code ?? ''}`.trim()

describe('logging in', () => {
  it('sets a session cookie that scripts cannot read and a CSRF token that they can', async () => {
    await open()
    const answer = await logIn()
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      result: 'success',
      msg: '',
      user_id: 10,
      email: 'hamlet@example.org',
    })
    const [session, csrf] = answer.headers.getSetCookie()
    expect(session).toMatch(/^session=10\.[\w-]{43}; Path=\/; Max-Age=3600; SameSite=Lax; HttpOnly$/)
    expect(csrf).toMatch(/^csrftoken=[\w-]{32}; Path=\/; Max-Age=3600; SameSite=Lax$/)
  })

  it('keeps the cookie to its host where there is TLS', async () => {
    await open({ publicUrl: 'https://chat.test' })
    const answer = await logIn()
    const [session, csrf] = answer.headers.getSetCookie()
    expect(session).toMatch(/^__Host-session=.*; Secure; HttpOnly$/)
    expect(csrf).toMatch(/; Secure$/)
    expect(answer.headers.get('strict-transport-security')).toMatch(/max-age=\d{8}/)
  })

  it('says what identity says of wrong passwords, and of too many of them', async () => {
    await open()
    const answer = await logIn({}, 'hamlet@example.org', 'wrong')
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(await codeOf(answer)).toBe('401 AUTHENTICATION_FAILED')
    expect(await codeOf(await house.fetch('/json/login', { method: 'POST', as: null }))).toBe(
      '400 REQUEST_VARIABLE_MISSING',
    )
  })

  it('gives a new session for the old one, which ends', async () => {
    await open()
    const before = await loggedIn()
    const answer = await logIn({ cookie: before.cookie, 'x-csrftoken': before.csrf })
    const after = browserOf(answer)
    expect(after.cookie).not.toBe(before.cookie)
    expect((await visit(after, 'GET', '/json/users/me')).status).toBe(200)
    expect(await codeOf(await visit(before, 'GET', '/json/users/me'))).toBe('401 UNAUTHORIZED')
  })

  it('is not done for pages of other sites', async () => {
    await open()
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://acme.chat.test' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      expect(await codeOf(await logIn(headers as Record<string, string>))).toBe('403 CSRF_FAILED')
    }
    expect((await logIn({ origin: 'http://chat.test', 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  it('comes with the key of an account in development', async () => {
    await open()
    const answer = await house.fetch('/api/v1/dev_fetch_api_key?username=hamlet@example.org', {
      method: 'POST',
      as: null,
    })
    expect(await answer.json()).toMatchObject({ result: 'success', api_key: 'secret', user_id: 10 })
    expect((await visit(browserOf(answer), 'GET', '/json/users/me')).status).toBe(200)
  })
})

describe('the two doors', () => {
  it('/json takes the session and calls in its name', async () => {
    const seen: unknown[] = []
    await open({
      channels: async (request, response) => {
        seen.push(
          await house.verify(request),
          request.headers.cookie,
          request.headers['x-csrftoken'] !== undefined,
        )
        response.end('{}')
      },
    })
    const browser = await loggedIn()
    const answer = await visit(browser, 'GET', '/json/messages', { 'user-agent': 'Mozilla/5.0 (X11)' })
    expect(answer.status).toBe(200)
    expect(seen[0]).toMatchObject({
      caller: {
        user: { id: 10, role: 400 },
        client: 'website',
        realm: { id: 1 },
        session: expect.stringMatching(/^[\w-]{43}$/),
      },
    })
    expect(seen[1]).toBeUndefined()
  })

  it('/json never takes Basic, /api/v1 never takes cookies', async () => {
    await open()
    const browser = await loggedIn()
    const basic = await house.fetch('/json/users/me', { as: hamlet })
    expect(basic.headers.get('www-authenticate')).toMatch(/^Session realm=/)
    expect(await codeOf(basic)).toBe('401 UNAUTHORIZED')
    const cookie = await visit(browser, 'GET', '/api/v1/users/me')
    expect(cookie.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
    expect(await codeOf(cookie)).toBe('401 UNAUTHORIZED')
    expect(await codeOf(await house.fetch('/api/v1/sessions'))).toBe('404 BAD_REQUEST')
    expect((await house.fetch('/json/server_settings', { as: null })).status).toBe(200)
  })

  it('/json changes nothing without the CSRF token', async () => {
    await open()
    const browser = await loggedIn()
    const other = await loggedIn()
    const post = (headers: Record<string, string>) =>
      house.fetch('/json/messages', {
        method: 'POST',
        as: null,
        headers: { cookie: browser.cookie, ...headers },
      })
    expect((await post({ 'x-csrftoken': browser.csrf })).status).toBe(200)
    for (const headers of [
      {},
      { 'x-csrftoken': '' },
      { 'x-csrftoken': other.csrf },
      { 'x-csrftoken': browser.csrf.slice(1) },
      { 'x-csrftoken': browser.csrf, origin: 'https://evil.example' },
      // A planted pair of equal token and cookie, but not this session's.
      { 'x-csrftoken': 'planted', cookie: browser.cookie.replace(/csrftoken=.*/, 'csrftoken=planted') },
    ]) {
      expect(await codeOf(await post(headers as Record<string, string>))).toBe('403 CSRF_FAILED')
    }
  })

  it('a session is of its organization only, and a forged or doubled cookie is none', async () => {
    await open()
    const browser = await loggedIn()
    const elsewhere = await house.fetch('/json/users/me', {
      as: null,
      host: 'acme.chat.test',
      headers: { cookie: browser.cookie },
    })
    expect(await codeOf(elsewhere)).toBe('401 UNAUTHORIZED')
    for (const cookie of [
      browser.cookie.replace('session=10.', 'session=11.'),
      `session=x; ${browser.cookie}`,
      'session=10.short',
      `session=10.${'A'.repeat(43)}`,
      'session=__proto__',
    ]) {
      expect(await codeOf(await house.fetch('/json/users/me', { as: null, headers: { cookie } }))).toBe(
        '401 UNAUTHORIZED',
      )
    }
  })
})

describe('the end of a session', () => {
  it('comes with log-out', async () => {
    await open()
    const browser = await loggedIn()
    const answer = await visit(browser, 'POST', '/json/logout')
    expect(answer.status).toBe(200)
    expect(answer.headers.getSetCookie()[0]).toMatch(/^session=; .*Max-Age=0/)
    expect(await codeOf(await visit(browser, 'GET', '/json/users/me'))).toBe('401 UNAUTHORIZED')
  })

  it('comes with a password that was set by mail after it began', async () => {
    await open()
    accounts['otto@example.org'] = { id: 78, role: 400, active: true, version: 1 }
    const browser = browserOf(await logIn({}, 'otto@example.org'))
    expect((await visit(browser, 'GET', '/json/users/me')).status).toBe(200)
    const inAMinute = Math.floor(Date.now() / 1000) + 60
    Object.assign(accounts['otto@example.org'], { version: 2, sessions_since: inAMinute })
    house.deps.accounts.onUserFact({ realm_id: 1, id: 78, version: 2 } as never)
    expect(await codeOf(await visit(browser, 'GET', '/json/users/me'))).toBe('401 UNAUTHORIZED')
  })

  it('comes for the others with a password that was changed in one of them, not for that one', async () => {
    await open()
    accounts['paul@example.org'] = { id: 79, role: 400, active: true, version: 1 }
    const [own, other] = [
      browserOf(await logIn({}, 'paul@example.org')),
      browserOf(await logIn({}, 'paul@example.org')),
    ]
    const [session] = (await house.deps.sessions.list(79)).filter(({ csrfToken }) => csrfToken === own.csrf)
    const change = { version: 2, sessions_since: Date.now() / 1000, spared_session: session!.id }
    Object.assign(accounts['paul@example.org'], change)
    house.deps.accounts.onUserFact({ realm_id: 1, id: 79, version: 2 } as never)
    const later = browserOf(await logIn({}, 'paul@example.org'))
    for (const browser of [own, later])
      expect((await visit(browser, 'GET', '/json/users/me')).status).toBe(200)
    expect(await codeOf(await visit(other, 'GET', '/json/users/me'))).toBe('401 UNAUTHORIZED')
  })

  it('can be brought by its owner, from a list, and by nobody else', async () => {
    await open()
    accounts['iago@example.org'] = { id: 77, role: 100, active: true, version: 1 }
    await house.deps.sessions.endAll(10)
    const [first, second, third] = [await loggedIn(), await loggedIn(), await loggedIn()]
    const iago = browserOf(await logIn({}, 'iago@example.org'))
    const list = (await (await visit(second, 'GET', '/json/sessions')).json()) as {
      sessions: { id: string; is_current: boolean; address: string; created_at: number }[]
    }
    expect(list.sessions).toHaveLength(3)
    expect(list.sessions.filter(({ is_current }) => is_current)).toHaveLength(1)
    expect(list.sessions[0]).toMatchObject({ address: '127.0.0.1' })
    expect(Number.isInteger((list.sessions[0] as { created_at: number }).created_at)).toBe(true)
    const mine = list.sessions.find(({ is_current }) => is_current)!
    expect(await codeOf(await visit(iago, 'DELETE', `/json/sessions/${mine.id}`))).toBe('404 BAD_REQUEST')
    expect((await visit(first, 'DELETE', `/json/sessions/${mine.id}`)).status).toBe(200)
    expect(await codeOf(await visit(second, 'GET', '/json/users/me'))).toBe('401 UNAUTHORIZED')
    expect((await visit(first, 'DELETE', '/json/sessions')).status).toBe(200)
    expect(await codeOf(await visit(third, 'GET', '/json/users/me'))).toBe('401 UNAUTHORIZED')
    expect((await visit(first, 'GET', '/json/users/me')).status).toBe(200)
    expect((await visit(iago, 'GET', '/json/users/me')).status).toBe(200)
  })

  it('comes with deactivation, and is not taken back with it', async () => {
    await open()
    const browser = await loggedIn()
    expect((await visit(browser, 'GET', '/json/users/me')).status).toBe(200)
    accounts['hamlet@example.org'] = { id: 10, role: 400, active: false, version: 2 }
    house.deps.accounts.onUserFact({ id: 10, realm_id: 1, version: 2 } as never)
    expect(await codeOf(await visit(browser, 'GET', '/json/users/me'))).toBe('401 USER_DEACTIVATED')
    accounts['hamlet@example.org'] = { id: 10, role: 400, active: true, version: 3 }
    house.deps.accounts.onUserFact({ id: 10, realm_id: 1, version: 3 } as never)
    expect(await codeOf(await visit(browser, 'GET', '/json/users/me'))).toBe('401 UNAUTHORIZED')
  })

  it('a role that changed holds for sessions at once', async () => {
    let role: unknown
    await open({
      channels: async (request, response) => {
        role = ((await house.verify(request)) as { caller: { user: { role: number } } }).caller.user.role
        response.end('{}')
      },
    })
    const browser = await loggedIn()
    accounts['hamlet@example.org'] = { id: 10, role: 200, active: true, version: 2 }
    house.deps.accounts.onUserFact({ id: 10, realm_id: 1, version: 2 } as never)
    await visit(browser, 'GET', '/json/messages')
    expect(role).toBe(200)
  })
})

it('Redis holds no token', async () => {
  await open()
  const browser = await loggedIn()
  const secret = /session=10\.([\w-]+)/.exec(browser.cookie)![1]!
  const keys = await redis.keys('*')
  const dump = await Promise.all(keys.map((key) => redis.dump(key.replace(/^test:[^:]+:/, ''))))
  expect(`${keys} ${dump}`).not.toContain(secret)
})
