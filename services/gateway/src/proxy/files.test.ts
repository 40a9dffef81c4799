import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { endpoint, serviceContract } from '@parley/contracts'
import { request } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type House, smallHouse } from '../testing/small-house.ts'

const common = { service: 'channels', summary: 'x', params: {}, reply: {}, answer: 'stream' } as const
const tus = { ...common, access: 'authenticated', doors: 'files', body: 'stream' } as const
const more = serviceContract('channels', {
  endpoints: {
    readFile: endpoint({
      ...common,
      method: 'GET',
      root: 'server',
      path: '/files/{path*}',
      access: 'authenticated',
      params: { path: z.string() },
    }),
    readPicture: endpoint({
      ...common,
      method: 'GET',
      root: 'server',
      path: '/pictures/{path*}',
      access: 'anyone',
      doors: 'open',
      params: { path: z.string() },
    }),
    tusOptions: endpoint({ ...tus, method: 'OPTIONS', path: '/small-tus' }),
    tusHead: endpoint({ ...tus, method: 'HEAD', path: '/small-tus/{id}', params: { id: z.string() } }),
    tusPatch: endpoint({ ...tus, method: 'PATCH', path: '/small-tus/{id}', params: { id: z.string() } }),
    newRealm: endpoint({
      ...common,
      method: 'GET',
      root: 'server',
      path: '/small-new/',
      access: 'anyone',
      doors: 'open',
      realmless: true,
    }),
  },
  internals: {},
  sections: {},
})

let house: House | undefined
afterEach(() => house?.close())
const opened = async (channels: RequestListener, parts: object = {}): Promise<House> => {
  house = await smallHouse({ more, channels, ...parts })
  return house
}
const seen = async (house: House, sent: IncomingMessage) =>
  JSON.stringify({
    method: sent.method,
    url: sent.url,
    range: sent.headers.range,
    length: sent.headers['upload-length'],
    caller: await house.verify(sent),
    body: await text(sent),
  })
const answering = (headers: Record<string, string> = {}, status = 200) =>
  opened(async (sent: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, headers).end(sent.method === 'HEAD' ? undefined : await seen(house!, sent))
  })

describe('files, uploads and pages', () => {
  it('are reached at the address of the server, with the headers of ranges and caches', async () => {
    const house = await answering({ 'accept-ranges': 'bytes', 'cache-control': 'private, max-age=60' }, 206)
    const answer = await house.fetch('/files/a%2Fb/c?x=1', { headers: { range: 'bytes=2-' } })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([206, 'private, max-age=60'])
    expect(await answer.json()).toMatchObject({ method: 'GET', url: '/files/a%2Fb/c?x=1', range: 'bytes=2-' })
    const head = await house.fetch('/files/a', { method: 'HEAD' })
    expect([head.status, head.headers.get('accept-ranges'), await head.text()]).toEqual([206, 'bytes', ''])
  })

  it('demand an account, or do not even look at credentials', async () => {
    const house = await answering()
    const refused = await house.fetch('/files/a', { as: null })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Session realm="parley"'])
    const bad = `Basic ${Buffer.from('a@b.example:wrong').toString('base64')}`
    expect((await house.fetch('/files/a', { as: bad })).status).toBe(401)
    const open = await house.fetch('/pictures/a', { as: bad, headers: { cookie: 'session=1.x' } })
    expect(await open.json()).toMatchObject({ caller: { caller: { user: null, realm: { id: 1 } } } })
    expect(house.asked.filter((question) => question === '/internal/authenticate')).toHaveLength(1)
  })

  it('speak tus: its methods and headers pass both ways', async () => {
    const house = await answering({ 'tus-resumable': '1.0.0', 'upload-offset': '5' })
    const options = await house.fetch('/api/v1/small-tus', { method: 'OPTIONS' })
    expect([options.status, options.headers.get('tus-resumable')]).toEqual([200, '1.0.0'])
    const head = await house.fetch('/api/v1/small-tus/x', { method: 'HEAD' })
    expect([head.status, head.headers.get('upload-offset')]).toEqual([200, '5'])
    const patch = await house.fetch('/api/v1/small-tus/x', {
      method: 'PATCH',
      body: 'hello',
      headers: { 'upload-length': '9' },
    })
    expect(await patch.json()).toMatchObject({ method: 'PATCH', length: '9', body: 'hello' })
    expect((await house.fetch('/json/small-tus/x', { method: 'PATCH' })).status).toBe(401)
  })

  it('are larger than parameters may be, and stop where files must', async () => {
    let received = 0
    const house = await opened(
      async (sent, response) => {
        for await (const piece of sent) received += piece.length
        response.end(String(received))
      },
      { body: 1000, file: 3_000_000 },
    )
    const send = (path: string, bytes: number) =>
      house.fetch(path, { method: 'PATCH', body: 'x'.repeat(bytes) })
    expect(await (await send('/api/v1/small-tus/x', 2_000_000)).text()).toBe('2000000')
    expect((await send('/api/v1/small-tus/x', 3_000_001)).status).toBe(413)
    expect((await send('/api/v1/realm', 1001)).status).toBe(413)
  })

  it('are held back while their reader is slow, and arrive whole', async () => {
    const content = randomBytes(24 * 1024 * 1024)
    let written = 0
    let isHeldBack = () => false
    const house = await opened(async (sent, response) => {
      if (sent.url === '/pictures/small') return void response.end('small')
      isHeldBack = () => response.writableNeedDrain
      for (let at = 0; at < content.length; at += 65_536) {
        written = at
        if (!response.write(content.subarray(at, at + 65_536))) await once(response, 'drain')
      }
      response.end()
    })
    const { body } = await request(`http://127.0.0.1:${house.port}/pictures/big`, {
      headers: { host: 'chat.test' },
    })
    const pieces = body[Symbol.asyncIterator]()
    const hash = createHash('sha256').update((await pieces.next()).value)
    // Nothing more is read until the writer has come to a halt: others come and go meanwhile, and it writes no further.
    let before = -1
    while (before !== written || !isHeldBack()) {
      before = written
      for (let others = 0; others < 10; others += 1) {
        expect(await (await house.fetch('/pictures/small', { as: null })).text()).toBe('small')
      }
    }
    expect(written).toBeLessThan(content.length - 1024 * 1024)
    for await (const piece of { [Symbol.asyncIterator]: () => pieces }) hash.update(piece)
    expect(hash.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'))
  })

  it('may be refused before they have arrived', async () => {
    const house = await opened((_sent, response) => {
      response.writeHead(413, { 'content-type': 'application/json' }).end('{"result":"error"}')
    })
    const answer = await house.fetch('/api/v1/small-tus/x', { method: 'PATCH', body: 'x'.repeat(20_000_000) })
    expect(answer.status).toBe(413)
  })

  it('are found at the root host before any organization lives there, where the contract says so', async () => {
    const house = await opened(async (sent, response) => response.end(await seen(house, sent)), {
      rootRealm: false,
    })
    expect(await (await house.fetch('/small-new/', { as: null })).json()).toMatchObject({
      caller: { caller: { realm: { id: 0, subdomain: '', url: 'http://chat.test' }, user: null } },
    })
    for (const [path, host] of [
      ['/pictures/a', 'chat.test'],
      ['/nowhere', 'chat.test'],
      ['/small-new/', 'ghost.chat.test'],
      ['/small-new/', 'other.example'],
    ] as const) {
      const answer = await house.fetch(path, { as: null, host })
      expect([path, host, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        path,
        host,
        404,
        'NONEXISTENT_SUBDOMAIN',
      ])
    }
    expect((await house.fetch('/static/generated/emoji/emoji_api.json', { as: null })).status).toBe(200)
  })
})
