import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { endpoint, serviceContract } from '@parley/contracts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callerHeader, tokenSigner } from './caller-token.ts'
import type { BaseConfig } from './config.ts'
import { PiecedReply, room, StreamedReply } from './room.ts'
import { buildServer } from './server.ts'
import { defineService } from './service.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signing = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
const trusted = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

const common = { service: 'uploads', summary: 'x', access: 'anyone', body: 'stream' } as const
const declared = {
  takeFiles: endpoint({
    ...common,
    method: 'POST',
    path: '/files',
    params: { wish: z.string().optional() },
    reply: {
      files: z.array(z.strictObject({ name: z.string().nullable(), bytes: z.int() })),
      wish: z.string().nullable(),
    },
  }),
  takeBytes: endpoint({
    ...common,
    method: 'PATCH',
    path: '/bytes',
    params: {},
    reply: { bytes: z.int(), type: z.string() },
  }),
  giveBytes: endpoint({
    ...common,
    method: 'GET',
    path: '/given/{realm_id}/{path*}',
    root: 'server',
    answer: 'stream',
    params: { realm_id: z.int(), path: z.string() },
    reply: {},
  }),
  giveList: endpoint({
    service: 'uploads',
    summary: 'x',
    access: 'anyone',
    method: 'GET',
    path: '/list',
    params: { count: z.int(), breaks_at: z.int().default(-1) },
    reply: { items: z.array(z.int()) },
  }),
}
const words = room<object>()
/** How far the list of `giveList` was made, and whether its maker is through. */
const made = { pieces: 0, isOver: false }
const definition = defineService({
  contract: serviceContract('uploads', { endpoints: declared, internals: {}, sections: {} }),
  config: z.object({}),
  open: async () => ({}),
  endpoints: {
    takeFiles: words.endpoint(declared.takeFiles, async ({ request, params }) => {
      const files: { name: string | null; bytes: number }[] = []
      for await (const { name, content } of request.files()) {
        // The second file is not wanted.
        const bytes = files.length === 1 ? -1 : (await buffer(content)).length
        files.push({ name: name ?? null, bytes })
      }
      return { files, wish: params.wish ?? null }
    }),
    takeBytes: words.endpoint(declared.takeBytes, async ({ request }) => ({
      bytes: (await buffer(request.body)).length,
      type: request.headers['content-type'] ?? '',
    })),
    giveBytes: words.endpoint(declared.giveBytes, async ({ request, params }) => {
      const text = `${params.realm_id}:${params.path}`
      return new StreamedReply(
        206,
        { 'content-type': 'text/x-thing', 'content-length': String(text.length) },
        request.method === 'HEAD' ? null : Readable.from([text]),
      )
    }),
    giveList: words.endpoint(declared.giveList, async ({ params: { count, breaks_at } }) => {
      async function* pieces() {
        Object.assign(made, { pieces: 0, isOver: false })
        try {
          let text = '{"result":"success","msg":"","items":['
          for (let place = 0; place < count; place += 1) {
            if (place === breaks_at) throw new Error('broken')
            yield text
            text = `${place === 0 ? '' : ','}${place}${' '.repeat(100_000)}`
            made.pieces += 1
          }
          yield `${text}]}`
        } finally {
          made.isOver = true
        }
      }
      return new PiecedReply(pieces())
    }),
  },
  internals: {},
  sections: {},
})

let server: FastifyInstance
let url: string
let token: string

beforeAll(async () => {
  const config = { TRUSTED_KEYS: { gateway: trusted }, CHECK_REPLIES: true } as unknown as BaseConfig
  const log = pino({ level: 'silent' })
  server = await buildServer({ contract: definition.contract, definition, deps: {}, config, log })
  await server.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const realm = { id: 1, subdomain: 'x', url: 'http://x.example' }
  token = await tokenSigner('gateway', signing).sign({ realm, user: null, client: 'Test' })
})
afterAll(() => {
  // Those that are kept alive would be waited for.
  server.server.closeAllConnections()
  return server.close()
})

const ask = (path: string, options: RequestInit = {}) =>
  fetch(`${url}${path}`, { ...options, headers: { ...options.headers, [callerHeader]: token } })

describe('bodies that are handed over as they arrive', () => {
  it('gives the files of a form, one after the other, whatever of them is read', async () => {
    const form = new FormData()
    form.append('a field', 'text')
    form.append('any', new Blob(['x'.repeat(300_000)]), 'één.txt')
    form.append('other', new Blob(['y'.repeat(300_000)]), 'two')
    form.append('third', new Blob(['']), 'three')
    const answer = await ask('/api/v1/files?wish=w', { method: 'POST', body: form })
    expect(await answer.json()).toMatchObject({
      files: [
        { name: 'één.txt', bytes: 300_000 },
        { name: 'two', bytes: -1 },
        { name: 'three', bytes: 0 },
      ],
      wish: 'w',
    })
  })

  it('has no files in what is no form, and refuses a form that breaks off', async () => {
    expect(
      await (await ask('/api/v1/files', { method: 'POST', body: new URLSearchParams({ a: 'b' }) })).json(),
    ).toMatchObject({ result: 'success', files: [] })
    const broken = await ask('/api/v1/files', {
      method: 'POST',
      body: '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nabc',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({ code: 'BAD_REQUEST' })
  })

  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'application/x-any'])(
    'leaves %s as it is, of any size',
    async (type) => {
      const body = Buffer.alloc(33 * 1024 * 1024, '{')
      const answer = await ask('/api/v1/bytes', { method: 'PATCH', body, headers: { 'content-type': type } })
      expect(await answer.json()).toEqual({ result: 'success', msg: '', bytes: body.length, type })
    },
  )
})

describe('answers that are not the envelope', () => {
  it('have the status, headers and bytes of the handler, at the root of the server', async () => {
    const answer = await ask('/given/7/a%2Fb/c%20d')
    expect(answer.status).toBe(206)
    expect(answer.headers.get('content-type')).toBe('text/x-thing')
    expect(await answer.text()).toBe('7:a/b/c d')
    const head = await ask('/given/7/a', { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([206, '3', ''])
    expect((await ask('/api/v1/given/7/a')).status).toBe(404)
  })
})

describe('answers in pieces', () => {
  it('are the envelope, with the parameters that were not known at its end', async () => {
    for (const count of [0, 1, 5]) {
      const items = Array.from({ length: count }, (_, place) => place)
      const answer = await ask(`/api/v1/list?count=${count}&other=1&client=x`)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      // One piece is sent as any other answer.
      expect(answer.headers.has('content-length')).toBe(count === 0)
      expect(await answer.json()).toMatchObject({
        result: 'success',
        msg: '',
        items,
        ignored_parameters_unsupported: ['other'],
      })
    }
  })

  it('are refused when the first cannot be made, and break off later', async () => {
    const refused = await ask('/api/v1/list?count=5&breaks_at=0')
    expect([refused.status, ((await refused.json()) as { result: string }).result]).toEqual([500, 'error'])
    await expect(ask('/api/v1/list?count=50&breaks_at=40').then((answer) => answer.text())).rejects.toThrow()
    expect(made.isOver).toBe(true)
  })

  it('are made at the pace of the client, and no longer than it is there', async () => {
    const leaving = new AbortController()
    const answer = await ask('/api/v1/list?count=1000', { signal: leaving.signal })
    await answer.body!.getReader().read()
    leaving.abort()
    await expect.poll(() => made.isOver).toBe(true)
    expect(made.pieces).toBeLessThan(900)
  })
})
