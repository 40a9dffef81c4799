import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { deadPort, defaultRules, type House, hamlet, smallHouse } from '../testing/small-house.ts'
import { type LimitRules, limiter } from './limiter.ts'
import { localCallLog } from './local-call-log.ts'
import { redisCallLog } from './redis-call-log.ts'

const url = process.env.REDIS_URL
if (url === undefined) throw new Error('REDIS_URL is not set: run through npm test, or start a stack')
const log = pino({ level: 'silent' })
const connections: Redis[] = []
afterAll(() => {
  for (const redis of connections) redis.disconnect()
})

const houses: House[] = []
afterEach(async () => {
  await Promise.all(houses.splice(0).map((house) => house.close()))
})

/** A gateway with limits; those of one `prefix` count together, as replicas do. */
const limitedHouse = async (
  parts: { prefix?: string; rules?: Partial<LimitRules>; redisUrl?: string } & Parameters<
    typeof smallHouse
  >[0] = {},
): Promise<House> => {
  const { prefix = `test:${randomUUID()}:`, rules = {}, redisUrl = url, ...rest } = parts
  const redis = new Redis(redisUrl, {
    keyPrefix: prefix,
    enableAutoPipelining: true,
    enableOfflineQueue: redisUrl === url,
    maxRetriesPerRequest: 0,
    retryStrategy: () => (redisUrl === url ? 50 : null),
  })
  redis.on('error', () => {})
  connections.push(redis)
  const limits = limiter({
    shared: redisCallLog(redis),
    local: localCallLog(),
    rules: { ...defaultRules, ...rules },
    log,
  })
  const house = await smallHouse({ limiter: limits, ...rest })
  houses.push(house)
  return house
}

const rule = (count: number, seconds = 60) => [{ count, seconds }]

describe('calls over the limit', () => {
  it('are told when they may come back, in the body and in whole seconds', async () => {
    const house = await limitedHouse({ rules: { user: rule(2) } })
    for (const remaining of ['1', '0']) {
      const answer = await house.fetch('/api/v1/users/me')
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-ratelimit-limit')).toBe('2')
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(remaining)
      expect(Number(answer.headers.get('x-ratelimit-reset')) - Date.now() / 1000).toBeGreaterThan(50)
    }
    const refused = await house.fetch('/api/v1/users/me')
    expect(refused.status).toBe(429)
    const body = (await refused.json()) as Record<string, unknown>
    expect(body).toMatchObject({ result: 'error', code: 'RATE_LIMIT_HIT', 'retry-after': expect.any(Number) })
    const header = refused.headers.get('retry-after') ?? ''
    expect(header).toMatch(/^\d+$/)
    expect(Number(header)).toBeGreaterThanOrEqual(body['retry-after'] as number)
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
  })

  it('are exactly those over it, with many at once through several gateways', async () => {
    const prefix = `test:${randomUUID()}:`
    const gateways = await Promise.all([1, 2, 3].map(() => limitedHouse({ prefix })))
    await Promise.all(gateways.map((house) => house.fetch('/api/v1/server_settings')))
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, call) => gateways[call % 3]!.fetch('/api/v1/messages')),
    )
    const admitted = answers.filter(({ status }) => status === 200)
    // server_settings with good credentials counts for the account too.
    expect(admitted).toHaveLength(200 - 3)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1000 - admitted.length)
  })

  it('by address where there is no account: wrong keys and wrong paths too', async () => {
    const house = await limitedHouse({ rules: { anonymous: rule(4) } })
    const wrong = `Basic ${Buffer.from('hamlet@example.org:guess').toString('base64')}`
    const statuses = []
    for (const [path, as] of [
      ['/api/v1/server_settings', null],
      ['/api/v1/messages', wrong],
      ['/api/v1/nothing', null],
      ['/api/v1/users/me', null],
      ['/api/v1/messages', wrong],
      ['/api/v1/server_settings', null],
      ['/api/v1/messages', hamlet],
    ] as const) {
      const answer = await house.fetch(path, { as })
      expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull()
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([200, 401, 404, 401, 429, 429, 200])
  })

  it('long-polls do not use up what calls need', async () => {
    const house = await limitedHouse({ rules: { user: rule(2), poll: rule(3) } })
    for (const status of [200, 200, 200, 429]) {
      expect((await house.fetch('/api/v1/events?queue_id=x')).status).toBe(status)
    }
    const answer = await house.fetch('/api/v1/users/me')
    expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([200, '1'])
  })
})

describe('log-ins', () => {
  const attempt = (house: House, username: string, password: string, options: object = {}) =>
    house.fetch('/api/v1/fetch_api_key', {
      method: 'POST',
      as: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ username, password }).toString(),
      ...options,
    })

  /** Answers log-ins as identity does. */
  const identity = (seen: string[] = []) => ({
    identity: async (
      request: import('node:http').IncomingMessage,
      response: import('node:http').ServerResponse,
    ) => {
      const form = new URLSearchParams(await text(request))
      seen.push(`${request.url} ${form}`)
      const isRight = form.get('password') === 'right'
      response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ result: isRight ? 'success' : 'error', code: 'AUTHENTICATION_FAILED' }))
    },
  })

  it('fail at most five times in half an hour per user name, however they are sent', async () => {
    const seen: string[] = []
    const house = await limitedHouse(identity(seen))
    const form = new FormData()
    form.set('username', 'IAGO@example.org')
    form.set('password', 'wrong')
    const multipart = new Response(form)
    const ways = [
      {},
      {
        body: JSON.stringify({ username: 'iago@Example.org ', password: 'wrong' }),
        headers: { 'content-type': 'application/json' },
      },
      { body: await multipart.text(), headers: { 'content-type': multipart.headers.get('content-type') } },
      { body: 'username=someone&username=iago%40example.org&password=wrong' },
      { path: '?username=iago@example.org&password=wrong', body: undefined, headers: {} },
    ]
    for (const { path = '', ...way } of ways as { path?: string }[]) {
      const answer = await house.fetch(`/api/v1/fetch_api_key${path}`, {
        method: 'POST',
        as: null,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ username: 'iago@example.org', password: 'wrong' }).toString(),
        ...way,
      })
      expect(answer.status).toBe(401)
    }
    const sixth = await attempt(house, 'iago@example.org', 'right')
    expect([sixth.status, await sixth.json()]).toEqual([
      429,
      { result: 'error', msg: expect.any(String), code: 'RATE_LIMIT_HIT', 'retry-after': expect.any(Number) },
    ])
    expect(seen).toHaveLength(5)
    expect(seen[3]).toBe('/api/v1/fetch_api_key username=iago%40example.org&password=wrong')
    expect((await attempt(house, 'hamlet@example.org', 'right')).status).toBe(200)
  })

  it('are refused exactly beyond the limit when many come at once', async () => {
    const prefix = `test:${randomUUID()}:`
    const open = { prefix, rules: { anonymous: rule(1000) }, ...identity() }
    const gateways = await Promise.all([limitedHouse(open), limitedHouse(open)])
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, call) => attempt(gateways[call % 2]!, 'iago@example.org', 'wrong')),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(55)
  })

  it('that succeed clear the count, and those that were never judged do not count', async () => {
    const house = await limitedHouse(identity())
    for (let round = 0; round < 3; round += 1) {
      for (let fail = 0; fail < 4; fail += 1) {
        expect((await attempt(house, 'iago@example.org', 'wrong')).status).toBe(401)
      }
      expect((await attempt(house, 'iago@example.org', 'right')).status).toBe(200)
    }
    const cut = await limitedHouse({ identity: (request) => request.socket.destroy() })
    for (let round = 0; round < 7; round += 1) {
      expect((await attempt(cut, 'iago@example.org', 'right')).status).toBe(503)
    }
  })
})

describe('Redis away', () => {
  it('lets calls through up to a cap of this process, and nobody log in', async () => {
    const house = await limitedHouse({
      redisUrl: `redis://127.0.0.1:${await deadPort()}`,
      rules: { user: rule(3) },
    })
    for (const status of [200, 200, 200, 429])
      expect((await house.fetch('/api/v1/users/me')).status).toBe(status)
    const logIn = await house.fetch('/api/v1/fetch_api_key?username=a&password=b', {
      method: 'POST',
      as: null,
    })
    expect(logIn.status).toBe(503)
    expect(await logIn.json()).toMatchObject({ code: 'SERVER_NOT_READY' })
  })
})

it('answers without limits say what the limits would be', async () => {
  const house = await smallHouse()
  houses.push(house)
  for (let call = 0; call < 3; call += 1) {
    const answer = await house.fetch('/api/v1/users/me')
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('200')
  }
})
