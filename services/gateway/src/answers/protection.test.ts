import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { type House, hamlet, smallHouse } from '../testing/small-house.ts'

let house: House
afterEach(() => house.close())

describe('requests that are not HTTP, or too much of it', () => {
  const statusOf = (answer: string): number => Number(answer.slice(9, 12))
  const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

  it.each([
    ['noise', 'hello\r\n\r\n', 400],
    ['a bad version', 'GET / HTTP/9.9\r\n\r\n', 400],
    ['a bad header', 'GET /health HTTP/1.1\r\nHost: chat.test\r\nbad header: x\r\n\r\n', 400],
    ['no host', 'GET /api/v1/users/me HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'two hosts',
      `GET /api/v1/users/me HTTP/1.1\r\nHost: chat.test\r\nhost: acme.chat.test\r\nAuthorization: ${hamlet}\r\nConnection: close\r\n\r\n`,
      400,
    ],
    [
      'an odd expectation',
      'GET /api/v1/users/me HTTP/1.1\r\nHost: chat.test\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n',
      401,
    ],
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
