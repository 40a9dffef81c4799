import { generateKeyPairSync } from 'node:crypto'
import { type AddressInfo, connect } from 'node:net'
import { endpoint, internalBytes, serviceContract } from '@parley/contracts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callerHeader, tokenSigner } from './caller-token.ts'
import type { BaseConfig } from './config.ts'
import { type Ask, internalClient } from './internal-client.ts'
import { room } from './room.ts'
import { buildServer } from './server.ts'
import { defineService } from './service.ts'

const keys = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    signing: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    trusted: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}
const [gateway, identity] = [keys(), keys()]

const common = { service: 'uploads', summary: 'x', access: 'anyone' } as const
const declared = {
  takeForm: endpoint({
    ...common,
    method: 'PATCH',
    path: '/form',
    params: { name: z.string(), wish: z.string().optional() },
    file: { name: 'photo', mebibytes: 1, several: 'One is enough.' },
    reply: { name: z.string(), wish: z.string().nullable(), bytes: z.int().nullable() },
  }),
  takeFields: endpoint({
    ...common,
    method: 'POST',
    path: '/fields',
    params: { name: z.string() },
    reply: { name: z.string(), has_file: z.boolean() },
  }),
}
const measure = internalBytes({
  service: 'uploads',
  name: 'measure',
  callers: ['identity'],
  input: z.object({ label: z.string(), bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array) }),
  output: z.object({ label: z.string(), length: z.int(), last: z.int() }),
  errors: ['BAD_IMAGE'],
})
const words = room<object>()
const definition = defineService({
  contract: serviceContract('uploads', { endpoints: declared, internals: { measure }, sections: {} }),
  config: z.object({}),
  open: async () => ({}),
  endpoints: {
    takeForm: words.endpoint(declared.takeForm, async ({ params, file }) => ({
      name: params.name,
      wish: params.wish ?? null,
      bytes: file?.length ?? null,
    })),
    takeFields: words.endpoint(declared.takeFields, async ({ params, file }) => ({
      name: params.name,
      has_file: file !== undefined,
    })),
  },
  internals: {
    measure: words.internal(measure, async ({ input: { label, bytes }, refuse }) => {
      if (bytes.length === 0) throw refuse('BAD_IMAGE', 'There is nothing in it.')
      return { label, length: bytes.length, last: bytes.at(-1)! }
    }),
  },
  sections: {},
})

let server: FastifyInstance
let url: string
let token: string
let ask: Ask

beforeAll(async () => {
  const trusted = { gateway: gateway.trusted, identity: identity.trusted }
  const config = { TRUSTED_KEYS: trusted, CHECK_REPLIES: true } as unknown as BaseConfig
  const log = pino({ level: 'silent' })
  server = await buildServer({ contract: definition.contract, definition, deps: {}, config, log })
  await server.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const realm = { id: 1, subdomain: 'x', url: 'http://x.example' }
  token = await tokenSigner('gateway', gateway.signing).sign({ realm, user: null, client: 'Test' })
  ask = internalClient({ config: { UPLOADS_URL: [url] }, signer: tokenSigner('identity', identity.signing) })
})
afterAll(() => {
  // Those that are kept alive would be waited for.
  server.server.closeAllConnections()
  return server.close()
})

const send = async (method: string, path: string, body: FormData | URLSearchParams) => {
  const answer = await fetch(`${url}/api/v1${path}`, { method, body, headers: { [callerHeader]: token } })
  return (await answer.json()) as Record<string, unknown>
}
const form = (...parts: (readonly [field: string, text: string | Blob, name?: string])[]) => {
  const made = new FormData()
  for (const [field, value, name] of parts) {
    if (typeof value === 'string') made.append(field, value)
    else made.append(field, value, name)
  }
  return made
}
const bytes = (length: number) => new Blob([Buffer.alloc(length, 'x')])
const mib = 1024 * 1024

describe('a file beside parameters', () => {
  it('comes with them, before, between or after, in a field of any name, in a form only', async () => {
    const name = ['name', 'a'] as const
    const wish = ['wish', 'w'] as const
    const file = ['any', bytes(70_000), 'x.png'] as const
    for (const parts of [
      [name, wish, file],
      [file, name, wish],
      [name, file, wish],
    ]) {
      expect(await send('PATCH', '/form', form(...parts))).toMatchObject({
        name: 'a',
        wish: 'w',
        bytes: 70_000,
      })
    }
    // Of the same name as a parameter, too.
    expect(await send('PATCH', '/form', form(name, ['wish', bytes(3), 'x']))).toMatchObject({
      wish: null,
      bytes: 3,
    })
    expect(await send('PATCH', '/form', form(name))).toMatchObject({ bytes: null })
    expect(await send('PATCH', '/form', new URLSearchParams({ name: 'a' }))).toMatchObject({ bytes: null })
  })

  it('is none when it has no name, and one when it has no bytes', async () => {
    expect(await send('PATCH', '/form?name=a', form(['photo', bytes(0), '']))).toMatchObject({ bytes: null })
    expect(await send('PATCH', '/form?name=a', form(['photo', bytes(0), 'x']))).toMatchObject({ bytes: 0 })
  })

  it('is at most one, and at most as large as declared', async () => {
    expect(await send('PATCH', '/form?name=a', form(['p', bytes(mib), 'x']))).toMatchObject({ bytes: mib })
    for (const size of [mib + 1, 20 * mib]) {
      expect(await send('PATCH', '/form?name=a', form(['p', bytes(size), 'x']))).toEqual({
        result: 'error',
        code: 'BAD_REQUEST',
        msg: 'Uploaded file is larger than the allowed limit of 1 MiB',
      })
    }
    const two = form(['p', bytes(10), 'x'], ['q', bytes(10), 'y'])
    expect(await send('PATCH', '/form?name=a', two)).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'One is enough.',
    })
  })

  it('that is refused leaves the connection to the next request', async () => {
    for (const parts of [
      form(['p', bytes(3 * mib), 'x']),
      form(['p', bytes(10), 'x'], ['q', bytes(mib), 'y']),
    ]) {
      const sent = new Request('http://x.example', { method: 'PATCH', body: parts })
      const body = Buffer.from(await sent.arrayBuffer())
      const heads = [
        ['PATCH /api/v1/form?name=a HTTP/1.1', `content-type: ${sent.headers.get('content-type')}`],
        ['GET /health HTTP/1.1'],
      ].map((lines) => [...lines, 'host: x.example', `${callerHeader}: ${token}`])
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      let answered = ''
      socket.on('data', (chunk) => (answered += chunk))
      socket.write(`${[...heads[0]!, `content-length: ${body.length}`].join('\r\n')}\r\n\r\n`)
      socket.write(body)
      socket.write(`${heads[1]!.join('\r\n')}\r\n\r\n`)
      await expect.poll(() => answered, { timeout: 10_000 }).toMatch(/ 400 [\s\S]* 200 /)
      socket.destroy()
    }
  })

  it('is passed over where none is declared', async () => {
    const sent = form(['f', bytes(100_000), 'x'], ['name', 'a'], ['g', bytes(5), 'y'])
    expect(await send('POST', '/fields', sent)).toMatchObject({ name: 'a', has_file: false })
  })
})

describe('a question about bytes', () => {
  it('arrives whole, with the rest of the question, and is refused as others are', async () => {
    for (const length of [1, 300_000, 6 * mib]) {
      const asked = { label: 'é&=?#', bytes: Buffer.alloc(length, 7) }
      expect(await ask(measure, asked)).toEqual({ label: asked.label, length, last: 7 })
    }
    await expect(ask(measure, { label: 'a', bytes: Buffer.alloc(0) })).rejects.toMatchObject({
      error: 'BAD_IMAGE',
    })
  })

  it('is answered to those only whom the contract names', async () => {
    const stranger = internalClient({
      config: { UPLOADS_URL: [url] },
      signer: tokenSigner('gateway', gateway.signing),
    })
    await expect(stranger(measure, { label: 'a', bytes: Buffer.alloc(1) })).rejects.toMatchObject({
      error: 'ACCESS_DENIED',
    })
  })
})
