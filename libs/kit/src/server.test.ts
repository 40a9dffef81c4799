import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type Caller, endpoint, internal, serviceContract } from '@parley/contracts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callerHeader, tokenSigner } from './caller-token.ts'
import type { BaseConfig } from './config.ts'
import { internalClient } from './internal-client.ts'
import { room } from './room.ts'
import { buildServer } from './server.ts'
import { defineService } from './service.ts'

const keyPair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    signing: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    trusted: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}
const keys = { gateway: keyPair(), identity: keyPair(), presence: keyPair(), stranger: keyPair() }

const common = { service: 'channels', summary: 'x' } as const
const declared = {
  echo: endpoint({
    ...common,
    method: 'POST',
    path: '/echo/{id}',
    access: 'authenticated',
    params: { id: z.int(), text: z.string(), list: z.array(z.int()).optional() },
    reply: { id: z.int(), text: z.string(), list: z.array(z.int()).nullable(), client: z.string() },
  }),
  remove: endpoint({
    ...common,
    method: 'DELETE',
    path: '/echo/{id}',
    access: 'administrator',
    params: { id: z.int(), reason: z.string() },
    reply: { reason: z.string() },
  }),
  forPeople: endpoint({ ...common, method: 'GET', path: '/people', access: 'human', params: {}, reply: {} }),
  forBots: endpoint({ ...common, method: 'GET', path: '/bots-only', access: 'bot', params: {}, reply: {} }),
  forAnyone: endpoint({ ...common, method: 'GET', path: '/anyone', access: 'anyone', params: {}, reply: {} }),
  wrongReply: endpoint({
    ...common,
    method: 'GET',
    path: '/wrong',
    access: 'anyone',
    params: {},
    reply: { count: z.int() },
  }),
}
const askedByIdentity = internal({
  service: 'channels',
  name: 'asked',
  callers: ['identity'],
  input: z.object({ n: z.int() }),
  output: z.object({ twice: z.int() }),
  errors: ['BAD_NARROW'],
})
const words = room<object>()
const definition = defineService({
  contract: serviceContract('channels', {
    endpoints: declared,
    internals: { askedByIdentity },
    sections: {},
  }),
  config: z.object({}),
  open: async () => ({}),
  endpoints: {
    echo: words.endpoint(declared.echo, async ({ params, caller }) => ({
      id: params.id,
      text: params.text,
      list: params.list ?? null,
      client: caller.client,
    })),
    remove: words.endpoint(declared.remove, async ({ params }) => ({ reason: params.reason })),
    forPeople: words.endpoint(declared.forPeople, async () => ({})),
    forBots: words.endpoint(declared.forBots, async () => ({})),
    forAnyone: words.endpoint(declared.forAnyone, async () => ({})),
    wrongReply: words.endpoint(declared.wrongReply, async () => ({ count: 1.5 })),
  },
  internals: {
    askedByIdentity: words.internal(askedByIdentity, async ({ input, refuse }) => {
      if (input.n < 0) throw refuse('BAD_NARROW', 'Too narrow.', { desc: 'n' })
      return { twice: input.n * 2 }
    }),
  },
  sections: {},
})

let server: FastifyInstance
let url: string

beforeAll(async () => {
  const config = {
    TRUSTED_KEYS: {
      gateway: keys.gateway.trusted,
      identity: keys.identity.trusted,
      presence: keys.presence.trusted,
    },
    CHECK_REPLIES: true,
  } as unknown as BaseConfig
  const log = pino({ level: 'silent' })
  server = await buildServer({ contract: definition.contract, definition, deps: {}, config, log })
  await server.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const callerOf = (wishes: { role?: 100 | 200 | 400; bot?: number; anonymous?: boolean } = {}): Caller => ({
  realm: { id: 1, subdomain: 'x', url: 'http://x.example' },
  user: wishes.anonymous ? null : { id: 7, role: wishes.role ?? 400, bot_type: wishes.bot ?? null },
  client: 'Test',
})
const tokenFor = (caller: Caller | null, issuer: keyof typeof keys = 'gateway') =>
  tokenSigner(issuer === 'stranger' ? 'gateway' : issuer, keys[issuer].signing).sign(caller)

const call = async (
  method: string,
  path: string,
  { caller = callerOf(), token, ...init }: RequestInit & { caller?: Caller; token?: string } = {},
) => {
  const answer = await fetch(`${url}${path}`, {
    method,
    ...init,
    headers: { ...init.headers, [callerHeader]: token ?? (await tokenFor(caller)) },
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const form = (fields: Record<string, string>) => new URLSearchParams(fields)
const multipart = (fields: Record<string, string>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  return data
}

describe('parameters', () => {
  const fields = { text: 'hi', list: '[1,2]', surplus: 'x' }
  const expected = {
    result: 'success',
    msg: '',
    id: 5,
    text: 'hi',
    list: [1, 2],
    client: 'Test',
    ignored_parameters_unsupported: ['surplus'],
  }

  it.each([
    ['a form', () => call('POST', '/api/v1/echo/5', { body: form(fields) })],
    ['a multipart form', () => call('POST', '/api/v1/echo/5', { body: multipart(fields) })],
    ['the query', () => call('POST', `/api/v1/echo/5?${form(fields)}`)],
    [
      'JSON',
      () =>
        call('POST', '/api/v1/echo/5', {
          body: JSON.stringify({ ...fields, list: [1, 2] }),
          headers: { 'content-type': 'application/json' },
        }),
    ],
  ])('are taken from %s', async (_case, send) => {
    expect((await send()).body).toEqual(expected)
  })

  it('are taken from the body of a DELETE, and from its query', async () => {
    const caller = callerOf({ role: 200 })
    const fromBody = await call('DELETE', '/api/v1/echo/5', { caller, body: form({ reason: 'old' }) })
    const fromQuery = await call('DELETE', '/api/v1/echo/5?reason=old', { caller })
    expect(fromBody.body.reason).toBe('old')
    expect(fromQuery.body.reason).toBe('old')
  })

  it('count once when they are repeated, the body before the query, the last before the first', async () => {
    const { body } = await call('POST', '/api/v1/echo/5?text=query', {
      body: 'text=first&text=last',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(body.text).toBe('last')
  })

  it('may name the client themselves', async () => {
    const { body } = await call('POST', '/api/v1/echo/5', { body: form({ text: 'x', client: 'Mine' }) })
    expect(body.client).toBe('Mine')
    expect(body.ignored_parameters_unsupported).toBeUndefined()
  })

  it.each([
    ['an empty body of any type', { headers: { 'content-type': 'application/octet-stream' } }],
    ['an empty JSON body', { headers: { 'content-type': 'application/json' } }],
    ['no body', {}],
  ])('may be missing: %s', async (_case, init) => {
    const { status, body } = await call('POST', '/api/v1/echo/5', init)
    expect([status, body.code, body.var_name]).toEqual([400, 'REQUEST_VARIABLE_MISSING', 'text'])
  })

  it.each(['{', '[1]', '"text"', 'null ]'])(
    'in a malformed JSON body (%s) are refused in the envelope',
    async (text) => {
      const { status, body } = await call('POST', '/api/v1/echo/5', {
        body: text,
        headers: { 'content-type': 'application/json' },
      })
      expect(status).toBe(400)
      expect(body).toMatchObject({ result: 'error', msg: expect.any(String), code: expect.any(String) })
    },
  )
})

describe('callers', () => {
  it.each([
    ['no token', ''],
    ['rubbish', 'abc.def.ghi'],
  ])('with %s are refused', async (_case, token) => {
    const { status, body } = await call('GET', '/api/v1/anyone', { token })
    expect([status, body.result]).toEqual([401, 'error'])
  })

  it('signed by a stranger are refused, also when the stranger says it is the gateway', async () => {
    const token = await tokenFor(callerOf(), 'stranger')
    expect((await call('GET', '/api/v1/people', { token })).status).toBe(401)
  })

  it('named by any service but the gateway are refused', async () => {
    const token = await tokenFor(callerOf(), 'identity')
    expect((await call('GET', '/api/v1/people', { token })).status).toBe(401)
  })

  it('are held to the permission class of the endpoint', async () => {
    const outcome = async (path: string, caller: Caller, method = 'GET') => {
      const { status, body } = await call(method, path, { caller })
      return status === 200 ? 'ok' : body.code
    }
    expect(await outcome('/api/v1/anyone', callerOf({ anonymous: true }))).toBe('ok')
    expect(await outcome('/api/v1/people', callerOf({ anonymous: true }))).toBe('UNAUTHORIZED')
    expect(await outcome('/api/v1/people', callerOf({ bot: 1 }))).toBe('BAD_REQUEST')
    expect(await outcome('/api/v1/bots-only', callerOf())).toBe('PERMISSION_DENIED')
    expect(await outcome('/api/v1/bots-only', callerOf({ bot: 1 }))).toBe('ok')
    expect(await outcome('/api/v1/bots-only', callerOf({ bot: 2 }))).toBe('BAD_REQUEST')
    expect(await outcome('/api/v1/echo/5?reason=x', callerOf(), 'DELETE')).toBe('UNAUTHORIZED_PRINCIPAL')
    expect(await outcome('/api/v1/echo/5?reason=x', callerOf({ role: 100 }), 'DELETE')).toBe('ok')
  })
})

describe('answers', () => {
  it('that break the contract are not sent when replies are checked', async () => {
    const { status, body } = await call('GET', '/api/v1/wrong')
    expect(status).toBe(500)
    expect(body).toEqual({ result: 'error', msg: 'Internal server error', code: 'INTERNAL_SERVER_ERROR' })
  })

  it('to unknown paths are envelopes too', async () => {
    const { status, body } = await call('GET', '/api/v1/nothing/here')
    expect([status, body.result, body.code]).toEqual([404, 'error', 'BAD_REQUEST'])
  })
})

describe('internal questions', () => {
  const askAs = (issuer: 'identity' | 'presence') =>
    internalClient({ config: { CHANNELS_URL: [url] }, signer: tokenSigner(issuer, keys[issuer].signing) })

  it('are answered to the services that the contract names', async () => {
    expect(await askAs('identity')(askedByIdentity, { n: 21 })).toEqual({ twice: 42 })
  })

  it('are refused to others, and to callers from outside', async () => {
    await expect(askAs('presence')(askedByIdentity, { n: 1 })).rejects.toMatchObject({
      error: 'ACCESS_DENIED',
    })
    const { status } = await call('POST', '/internal/asked', {
      body: '{"n":1}',
      headers: { 'content-type': 'application/json' },
    })
    expect(status).toBe(403)
  })

  it('carry refusals with their fields', async () => {
    await expect(askAs('identity')(askedByIdentity, { n: -1 })).rejects.toMatchObject({
      error: 'BAD_NARROW',
      message: 'Too narrow.',
      fields: { desc: 'n' },
    })
  })

  it('say that a service is away, in bounded time', async () => {
    const ask = internalClient({
      config: { CHANNELS_URL: ['http://127.0.0.1:1'] },
      signer: tokenSigner('identity', keys.identity.signing),
    })
    await expect(ask(askedByIdentity, { n: 1 })).rejects.toMatchObject({
      name: 'EngineUnavailableError',
      engine: 'channels',
    })
  })
})

describe('requests that are not what they say', () => {
  const post = async (
    path: string,
    role: 400 | 200,
    type: string,
    body: string,
  ): Promise<[number, unknown]> => {
    const token = await tokenSigner('gateway', keys.gateway.signing).sign({
      realm: { id: 1, subdomain: '', url: 'http://chat.test' },
      user: { id: 10, role, bot_type: null },
      client: 'test',
    })
    const method = path.startsWith('/api/v1/echo/1?') ? 'DELETE' : 'POST'
    const headers = { 'content-type': type, [callerHeader]: token }
    const answer = await fetch(`${url}${path}`, { method, headers, body })
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }

  it.each([
    ['multipart/form-data', 'no boundary'],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\ncut'],
    ['multipart/form-data; boundary=x', 'nonsense'],
  ])('are refused as malformed: %s', async (type, body) => {
    expect(await post('/api/v1/echo/1', 400, type, body)).toEqual([400, 'BAD_REQUEST'])
  })

  it('are not even read when their caller may not call', async () => {
    expect(await post('/api/v1/echo/1?x', 400, 'application/json', '{"')).toEqual([
      400,
      'UNAUTHORIZED_PRINCIPAL',
    ])
    expect(await post('/api/v1/echo/1?x', 200, 'application/json', '{"')).toEqual([400, 'INVALID_JSON'])
  })

  it('may have as long a head as the gateway lets through', async () => {
    const answer = await fetch(`${url}/api/v1/anyone?x=${'a'.repeat(60_000)}`)
    expect(answer.status).toBe(401)
  })
})
