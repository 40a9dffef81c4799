import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { accounts, deadPort, gone, type House, hamlet, listening, smallHouse } from './testing/small-house.ts'

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
    const answer = await house.fetch('/api/v1/messages', { as })
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

  it('that the gateway is alive, under any host', async () => {
    house = await smallHouse()
    const answer = await house.fetch('/health', { host: 'whatever', as: null })
    expect([answer.status, await answer.json()]).toEqual([200, { result: 'success', msg: '' }])
  })
})

describe('services that fail', () => {
  it('503 and Retry-After for the routes of one that is away, and only for those', async () => {
    house = await smallHouse({ channelsUrls: `http://127.0.0.1:${await deadPort()}` })
    for (const options of [
      {},
      { method: 'POST', body: 'x' },
      { method: 'POST', body: 'x'.repeat(200_000) },
    ]) {
      const answer = await house.fetch('/api/v1/messages', options)
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await answer.json()).toMatchObject({ result: 'error', code: 'SERVER_NOT_READY' })
    }
    expect((await house.fetch('/api/v1/users/me')).status).toBe(200)
  })

  it('uses the replica that is there, for sends too, and the other one once it is back', async () => {
    const served: string[] = []
    const replica = (name: string) =>
      createServer((request, response) => {
        if (request.url !== '/health') served.push(name)
        response.end('{}')
      })
    const first = replica('first')
    const second = replica('second')
    const dead = await deadPort()
    house = await smallHouse({
      channelsUrls: `http://127.0.0.1:${dead},http://127.0.0.1:${await listening(first)}`,
    })
    for (let send = 0; send < 6; send += 1) {
      expect((await house.fetch('/api/v1/messages', { method: 'POST', body: 'content=x' })).status).toBe(200)
    }
    expect(served).toEqual(Array(6).fill('first'))
    second.listen(dead, '127.0.0.1')
    await expect
      .poll(async () => {
        await house.fetch('/api/v1/messages')
        return served
      })
      .toContain('second')
    for (const server of [first, second]) {
      server.closeAllConnections()
      server.close()
    }
  })

  it('does not send twice what may have had an effect, and asks again what cannot', async () => {
    let requests = 0
    house = await smallHouse({
      channels: (request) => {
        requests += 1
        request.socket.destroy()
      },
    })
    const sent = await house.fetch('/api/v1/messages', { method: 'POST', body: 'content=x' })
    expect([sent.status, requests]).toEqual([503, 1])
    const asked = await house.fetch('/api/v1/messages')
    expect([asked.status, requests]).toEqual([503, 3])
  })

  it('cuts an answer off that broke off, instead of completing it', async () => {
    house = await smallHouse({
      channels: (_request, response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('{"result":')
        setImmediate(() => response.destroy())
      },
    })
    await expect(house.fetch('/api/v1/messages')).rejects.toThrow()
  })

  it('503 for a service that does not answer in time', async () => {
    house = await smallHouse({ channels: () => {}, answer: 100 })
    const answer = await house.fetch('/api/v1/messages')
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      503,
      'SERVER_NOT_READY',
    ])
  })
})

describe('clients that leave or dawdle', () => {
  it('ends the request upstream when the client goes', async () => {
    let started: () => void = () => {}
    const isStarted = new Promise<void>((resolve) => {
      started = resolve
    })
    let ended: () => void = () => {}
    const isEnded = new Promise<void>((resolve) => {
      ended = resolve
    })
    house = await smallHouse({
      queue: (request) => {
        started()
        request.socket.once('close', () => ended())
      },
    })
    const socket = connect(house.port, '127.0.0.1')
    socket.write(
      `GET /api/v1/events?queue_id=1 HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\n\r\n`,
    )
    await isStarted
    socket.destroy()
    await isEnded
  })

  it('passes an answer on at the pace of its reader', async () => {
    const piece = Buffer.alloc(256 * 1024, 'x')
    let written = 0
    house = await smallHouse({
      channels: async (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' })
        while (written < 200 && !response.destroyed) {
          written += 1
          if (!response.write(piece)) await once(response, 'drain')
        }
        response.end()
      },
    })
    const socket = connect(house.port, '127.0.0.1')
    socket.pause()
    socket.write(
      `GET /api/v1/messages HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\nConnection: close\r\n\r\n`,
    )
    let before = -1
    await expect
      .poll(
        () => {
          const isQuiet = written > 0 && written === before
          before = written
          return isQuiet
        },
        { interval: 200, timeout: 5000 },
      )
      .toBe(true)
    expect(written).toBeLessThan(150)
    let received = 0
    socket.on('data', (bytes) => {
      received += bytes.length
    })
    socket.resume()
    await once(socket, 'close')
    expect(received).toBeGreaterThan(200 * piece.length)
  })
})

describe('requests that are not HTTP, or too much of it', () => {
  const statusOf = (answer: string): number => Number(answer.slice(9, 12))
  const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

  it.each([
    ['noise', 'hello\r\n\r\n', 400],
    ['a bad version', 'GET / HTTP/9.9\r\n\r\n', 400],
    ['a bad header', 'GET /health HTTP/1.1\r\nHost: chat.test\r\nbad header: x\r\n\r\n', 400],
    ['no host', 'GET /api/v1/users/me HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'two framings',
      'POST /api/v1/messages HTTP/1.1\r\nHost: chat.test\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'too many headers',
      `GET /health HTTP/1.1\r\nHost: chat.test\r\nConnection: close\r\n${'X-A: b\r\n'.repeat(101)}\r\n`,
      431,
    ],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n', 400],
    ['huge headers', `GET /health HTTP/1.1\r\nHost: chat.test\r\nX-A: ${'a'.repeat(70_000)}\r\n\r\n`, 431],
    ...[40_000, 70_000].map((length): [string, string, number] => [
      `an address of ${length} characters`,
      `GET /api/v1/messages?a=${'a'.repeat(length)} HTTP/1.1\r\nHost: chat.test\r\nConnection: close\r\n\r\n`,
      414,
    ]),
    [
      'a body that is declared too large',
      `POST /api/v1/messages HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\nConnection: close\r\nContent-Length: 9999999\r\n\r\n`,
      413,
    ],
  ])('answers %s in the envelope', async (_what, request, status) => {
    house = await smallHouse()
    const answer = await house.raw(request)
    expect(statusOf(answer)).toBe(status)
    expect(bodyOf(answer)).toMatchObject({
      result: 'error',
      msg: expect.any(String),
      code: expect.any(String),
    })
  })

  it('refuses a streamed body when it grows too large', async () => {
    house = await smallHouse({ body: 100_000, channels: (request) => request.resume() })
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const answer = await house.raw(
      `POST /api/v1/messages HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
    )
    expect(statusOf(answer)).toBe(413)
  })
})

describe('more than can be served', () => {
  it('is turned away early, while polls and other services go on', async () => {
    const held: ServerResponse[] = []
    house = await smallHouse({
      requestsPerService: 2,
      channels: (_request, response) => held.push(response),
      queue: (_request, response) => held.push(response),
    })
    const busy = [house.fetch('/api/v1/messages'), house.fetch('/api/v1/messages')]
    await expect.poll(() => held.length).toBe(2)
    const shed = await house.fetch('/api/v1/messages')
    expect([shed.status, shed.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await shed.json()).toMatchObject({ code: 'SERVER_NOT_READY' })
    const poll = house.fetch('/api/v1/events?queue_id=x')
    await expect.poll(() => held.length).toBe(3)
    expect((await house.fetch('/api/v1/users/me')).status).toBe(200)
    for (const response of held) response.end('{}')
    expect((await Promise.all([...busy, poll])).map(({ status }) => status)).toEqual([200, 200, 200])
    const again = house.fetch('/api/v1/messages')
    await expect.poll(() => held.length).toBe(4)
    held[3]!.end('{}')
    expect((await again).status).toBe(200)
  })
})

describe('scripts of other sites', () => {
  it('may call from listed origins, and read budgets and upload headers', async () => {
    house = await smallHouse()
    const origin = 'https://app.example.org'
    const preflight = await house.fetch('/api/v1/messages', {
      method: 'OPTIONS',
      as: null,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })
    expect(preflight.status).toBe(200)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
    const answer = await house.fetch('/api/v1/messages', { headers: { origin } })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining')
    expect(answer.headers.get('access-control-expose-headers')).toContain('Upload-Offset')
    expect(answer.headers.get('vary')).toBe('Origin')
  })

  it('of other origins may read nothing', async () => {
    house = await smallHouse()
    for (const origin of ['https://evil.example', 'null', 'https://app.example.org.evil.example']) {
      const answer = await house.fetch('/api/v1/messages', { headers: { origin } })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      const headers = { origin, 'access-control-request-method': 'POST' }
      const preflight = await house.fetch('/api/v1/messages', { method: 'OPTIONS', as: null, headers })
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([405, null])
    }
  })
})

describe('leaving', () => {
  it('answers waiting polls with a heartbeat, lets the rest finish, and closes the connections', async () => {
    let waiting = 0
    let finish: () => void = () => {}
    house = await smallHouse({
      queue: () => {
        waiting += 1
      },
      channels: (_request, response) => {
        waiting += 1
        finish = () => response.end('{"result":"success","msg":"late"}')
      },
    })
    const poll = house.fetch('/api/v1/events?queue_id=0:7:abc&last_event_id=41')
    const slow = house.fetch('/api/v1/messages')
    await expect.poll(() => waiting).toBe(2)
    const closed = once(house.server, 'close')
    house.server.close()
    const drained = house.deps.exchanges.drain()
    const answer = await poll
    expect(answer.headers.get('connection')).toBe('close')
    expect(await answer.json()).toEqual({
      result: 'success',
      msg: '',
      events: [{ type: 'heartbeat', id: 41 }],
      queue_id: '0:7:abc',
    })
    finish()
    expect(await (await slow).json()).toMatchObject({ msg: 'late' })
    await drained
    await closed
  })
})
