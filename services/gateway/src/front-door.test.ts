import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { accounts, gone, type House, hamlet, smallHouse } from './testing/small-house.ts'

let house: House
afterEach(() => house.close())

const basic = (email: string, key: string): string =>
  `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`

/** What one request through the gateway looked like to its service. */
const seenBy = (
  parts: Omit<NonNullable<Parameters<typeof smallHouse>[0]>, 'channels'> = {},
): { seen: IncomingMessage[]; bodies: string[]; open(): Promise<void> } => {
  const seen: IncomingMessage[] = []
  const bodies: string[] = []
  return {
    seen,
    bodies,
    open: async () => {
      house = await smallHouse({
        ...parts,
        channels: async (request, response) => {
          seen.push(request)
          bodies.push(await text(request))
          response.writeHead(200, {
            'content-type': 'application/json',
            'x-parley-secret': 'inside',
            'keep-alive': 'timeout=7',
            server: 'inner',
          })
          response.end('{"result":"success","msg":"","id":1}')
        },
      })
    },
  }
}

describe('who is calling', () => {
  it('hands the service a token that names realm, account and client', async () => {
    const channels = seenBy()
    await channels.open()
    const answer = await house.fetch('/api/v1/messages', { headers: { 'user-agent': 'ZulipPython/0.9 (x)' } })
    expect(answer.status).toBe(200)
    expect(await house.verify(channels.seen[0]!)).toEqual({
      issuer: 'gateway',
      caller: {
        realm: { id: 1, subdomain: '', url: 'http://chat.test' },
        user: { id: 10, role: 400, bot_type: null },
        client: 'ZulipPython',
      },
    })
  })

  it.each([
    ['no credentials', null, 401, 'UNAUTHORIZED'],
    ['another scheme', 'Bearer abc', 401, 'UNAUTHORIZED'],
    ['broken base64', 'Basic ***', 401, 'UNAUTHORIZED'],
    ['an unknown user', basic('nobody@example.org', 'right-key'), 401, 'INVALID_API_KEY'],
    ['a wrong key', basic('hamlet@example.org', 'wrong-key'), 401, 'INVALID_API_KEY'],
    ['a deactivated account', gone, 401, 'USER_DEACTIVATED'],
  ])('refuses %s', async (_what, as, status, code) => {
    house = await smallHouse()
    const answer = await house.fetch('/api/v1/streams', { as })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ result: 'error', code })
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="parley"')
  })

  it('says the same of an unknown user and a wrong key', async () => {
    house = await smallHouse()
    const bodyFor = async (as: string) => (await house.fetch('/api/v1/messages', { as })).text()
    expect(await bodyFor(basic('nobody@example.org', 'right-key'))).toBe(
      await bodyFor(basic('hamlet@example.org', 'wrong-key')),
    )
  })

  it("takes another organization's key for a wrong one, and knows the organization by its host", async () => {
    house = await smallHouse()
    const elsewhere = await house.fetch('/api/v1/messages', { host: 'acme.chat.test:9991' })
    expect(await elsewhere.json()).toMatchObject({ code: 'INVALID_API_KEY' })
    for (const host of ['nowhere.chat.test', 'example.org', 'chat.test.evil.org']) {
      const answer = await house.fetch('/api/v1/messages', { host })
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ code: 'NONEXISTENT_SUBDOMAIN' })
    }
    const asleep = await house.fetch('/api/v1/messages', { host: 'asleep.chat.test' })
    expect(asleep.status).toBe(401)
    expect(await asleep.json()).toMatchObject({ code: 'REALM_DEACTIVATED' })
  })

  it('ignores bad credentials where anyone may ask', async () => {
    house = await smallHouse()
    for (const as of [null, 'Bearer x', basic('hamlet@example.org', 'wrong'), gone]) {
      expect((await house.fetch('/api/v1/server_settings', { as })).status).toBe(200)
    }
  })

  it('asks identity once per account until a fact says that it changed', async () => {
    house = await smallHouse()
    const authentications = () => house.asked.filter((path) => path === '/internal/authenticate').length
    const both = await Promise.all([house.fetch('/api/v1/messages'), house.fetch('/api/v1/messages')])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    await house.fetch('/api/v1/messages')
    expect(authentications()).toBe(1)
    accounts['hamlet@example.org'] = { id: 10, role: 400, active: false, version: 2 }
    house.deps.principals.onUserFact({ id: 10, realm_id: 1, version: 2 } as never)
    expect(await (await house.fetch('/api/v1/messages')).json()).toMatchObject({ code: 'USER_DEACTIVATED' })
  })
})

describe('what a service gets to see', () => {
  it('nothing of credentials, of connections, and nothing that only the gateway may say', async () => {
    const channels = seenBy()
    await channels.open()
    await house.raw(
      [
        'POST /api/v1/messages?a=%20b&c=d HTTP/1.1',
        'Host: chat.test',
        `Authorization: ${hamlet}`,
        'Cookie: session=x',
        'X-Parley-Caller: forged',
        'x-parley-anything: forged',
        'X-Forwarded-For: 1.2.3.4',
        'X-Real-IP: 1.2.3.4',
        'Forwarded: for=1.2.3.4',
        'Connection: close, X-Hop',
        'X-Hop: 1',
        'Keep-Alive: 300',
        'TE: trailers',
        'Upgrade: websocket',
        'Proxy-Authorization: Basic eDp5',
        'Baggage: a=b',
        'X-Kept: yes',
        'Content-Type: text/plain',
        'Content-Length: 5',
        '',
        'hello',
      ].join('\r\n'),
    )
    const { headers, url } = channels.seen[0]!
    expect(url).toBe('/api/v1/messages?a=%20b&c=d')
    expect(channels.bodies).toEqual(['hello'])
    expect(headers).toMatchObject({ 'x-kept': 'yes', 'content-type': 'text/plain', 'content-length': '5' })
    expect(headers.connection).toBe('keep-alive')
    expect(Object.keys(headers).toSorted()).toEqual(
      [
        'connection',
        'content-length',
        'content-type',
        'host',
        'x-kept',
        'x-parley-caller',
        'x-request-id',
      ].toSorted(),
    )
    expect(await house.verify(channels.seen[0]!)).toMatchObject({
      issuer: 'gateway',
      caller: { user: { id: 10 } },
    })
  })

  it('bodies of every method and framing, byte for byte', async () => {
    const channels = seenBy()
    await channels.open()
    const large = 'x'.repeat(300_000)
    for (const [method, path, body] of [
      ['POST', '/api/v1/messages', 'content=%00%ff'],
      ['POST', '/api/v1/messages', large],
      ['POST', '/v1/users/me/subscriptions', '{"a":1}'],
    ] as const) {
      expect((await house.fetch(path, { method, body })).status).toBe(200)
    }
    await house.raw(
      `POST /api/v1/messages HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\nConnection: close\r\n` +
        'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n',
    )
    await house.raw(
      `GET /api/v1/messages HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\nConnection: close\r\n` +
        'Content-Length: 3\r\n\r\nabc',
    )
    expect(channels.bodies).toEqual(['content=%00%ff', large, '{"a":1}', 'hello world', ''])
    expect(channels.seen[2]!.url).toBe('/api/v1/users/me/subscriptions')
  })

  it('a request ID and the trace, which the answer repeats', async () => {
    const channels = seenBy()
    await channels.open()
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const answer = await house.fetch('/api/v1/messages', {
      headers: { 'x-request-id': 'mine-1', traceparent },
    })
    expect(answer.headers.get('x-request-id')).toBe('mine-1')
    expect(answer.headers.get('traceparent')).toBe(traceparent)
    expect(channels.seen[0]!.headers).toMatchObject({ 'x-request-id': 'mine-1', traceparent })
    const odd = await house.fetch('/api/v1/messages', {
      headers: {
        'x-request-id': 'a b "c"',
        traceparent: '00-00000000000000000000000000000000-b7ad6b7169203331-01',
      },
    })
    expect(odd.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
    expect(odd.headers.get('traceparent')).toBeNull()
  })
})

describe('what a client gets to see', () => {
  it("the service's answer without what is ours, under headers that keep it private", async () => {
    const channels = seenBy()
    await channels.open()
    const answer = await house.fetch('/api/v1/messages')
    expect(await answer.json()).toEqual({ result: 'success', msg: '', id: 1 })
    const headers = Object.fromEntries(answer.headers)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(headers).not.toHaveProperty('x-parley-secret')
    expect(headers).not.toHaveProperty('server')
    expect(headers['keep-alive'] ?? '').not.toContain('timeout=7')
  })

  it('the envelope for paths and methods that are not there, and for what is inside the house', async () => {
    house = await smallHouse()
    const missing = await house.fetch('/api/v1/nothing')
    expect([missing.status, await missing.json()]).toEqual([
      404,
      { result: 'error', msg: 'Not found', code: 'BAD_REQUEST' },
    ])
    for (const path of [
      '/internal/authenticate',
      '/api/v1/internal/authenticate',
      '/metrics',
      '/ready',
      '/',
    ]) {
      expect((await house.fetch(path, { method: 'POST', body: '{}' })).status).toBe(404)
    }
    const wrong = await house.fetch('/api/v1/messages', { method: 'PUT' })
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('GET, POST')
    expect(await wrong.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED', allowed_methods: ['GET', 'POST'] })
  })

  it('the headers of what HEAD asks for, from services that know only GET', async () => {
    const asked: (string | undefined)[] = []
    house = await smallHouse({
      channels: (request, response) => {
        asked.push(request.method)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":"success","msg":""}')
      },
    })
    const answer = await house.raw(
      `HEAD /api/v1/messages HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n(.+\r\n)+\r\n$/)
    expect(asked).toEqual(['GET'])
  })

  it('that it can be reached, and that every client is welcome', async () => {
    house = await smallHouse()
    const reached = await house.fetch('/generate_204', { as: null })
    expect([reached.status, await reached.text(), reached.headers.get('content-length')]).toEqual([
      204,
      '',
      null,
    ])
    const welcome = await house.fetch('/compatibility', {
      as: null,
      headers: { 'user-agent': 'ZulipMobile/1' },
    })
    expect([welcome.status, await welcome.json()]).toEqual([200, { result: 'success', msg: '' }])
    expect((await house.fetch('/compatibility', { as: null })).status).toBe(400)
  })

  it('that the gateway is alive, under any host', async () => {
    house = await smallHouse()
    const answer = await house.fetch('/health', { host: 'whatever', as: null })
    expect([answer.status, await answer.json()]).toEqual([200, { result: 'success', msg: '' }])
  })
})
