/** The sentences of the protocol (tus 1.0.0) with MUST in them, for what is offered; one test each. */
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { EngineUnavailableError } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { objectKey } from '../files/name-rules.ts'
import { sweepObjects } from '../objects/sweep-objects.ts'
import { openTestRoom, type Person, type TestRoom } from '../test-room.ts'
import { expireUploads } from './expire-uploads.ts'
import { takeHold } from './upload-store.ts'

let room: TestRoom
let ada: Person
let bob: Person

beforeAll(async () => {
  room = await openTestRoom({ sizes: { file: 16, avatar: 5 } })
  ada = await room.person()
  bob = await room.person()
})
afterAll(() => room.close())

const mib = 1024 * 1024
const version = { 'tus-resumable': '1.0.0' }
const piece = { ...version, 'content-type': 'application/offset+octet-stream' }
const base64 = (text: string) => Buffer.from(text).toString('base64')

interface Options {
  readonly as?: Person
  readonly body?: RequestInit['body']
}

const ask = async (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  { as = ada, body }: Options = {},
) => {
  const init = { method, headers, ...(body == null ? {} : { body, duplex: 'half' }) }
  const answer = await as.fetch(`/api/v1${path}`, init as RequestInit)
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: text === '' ? null : JSON.parse(text) }
}

const create = async (headers: Record<string, string> = {}, options: Options = {}): Promise<string> => {
  const answer = await ask('POST', '/tus', { ...version, ...headers }, options)
  expect([answer.status, answer.text]).toEqual([201, ''])
  return answer.headers.get('location')!.slice('/api/v1'.length)
}
const send = (path: string, offset: number, body: RequestInit['body'], headers = {}, as = ada) =>
  ask('PATCH', path, { ...piece, 'upload-offset': String(offset), ...headers }, { body: body!, as })
const offsetOf = async (path: string): Promise<number> => {
  const answer = await ask('HEAD', path, version)
  expect(answer.status).toBe(200)
  return Number(answer.headers.get('upload-offset'))
}
/** What the store has of a file. */
const contentOf = async (url: string) =>
  buffer((await room.store.get(objectKey(url.slice('/user_uploads/'.length))))!)
const objects = () =>
  Promise.all(['files/', 'tails/', 'partials/'].map((at) => Array.fromAsync(room.store.list(at))))
const swept = async () => {
  while ((await sweepObjects(room.deps.database, room.store)) > 0);
}

/** A body that breaks off after so many bytes. */
const cut = (content: Buffer, at: number) =>
  Readable.toWeb(
    Readable.from(
      (async function* () {
        for (let from = 0; from < at; from += 65_521)
          yield content.subarray(from, Math.min(at, from + 65_521))
        // What was given to the socket is to arrive.
        await new Promise((resolve) => setTimeout(resolve, 100))
        throw new Error('cut')
      })(),
    ),
  ) as unknown as RequestInit['body']

describe('core protocol', () => {
  it('HEAD: the Server MUST always include Upload-Offset, Upload-Length when known, and no-store', async () => {
    const path = await create({ 'upload-length': '10' })
    const { status, headers } = await ask('HEAD', path, version)
    expect([status, headers.get('upload-offset'), headers.get('upload-length')]).toEqual([200, '0', '10'])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('HEAD: what is not there is 404 without Upload-Offset, and so is what is somebody else’s', async () => {
    const path = await create({ 'upload-length': '10' })
    for (const [who, where] of [
      [ada, '/tus/nothing'],
      [bob, path],
    ] as const) {
      const { status, headers } = await ask('HEAD', where, version, { as: who })
      expect([status, headers.get('upload-offset')]).toEqual([404, null])
      expect((await send(where, 0, 'x', {}, who)).status).toBe(404)
      expect((await ask('DELETE', where, version, { as: who })).status).toBe(404)
    }
  })

  it('PATCH: another type MUST be 415', async () => {
    const path = await create({ 'upload-length': '1' })
    expect((await send(path, 0, 'x', { 'content-type': 'text/plain' })).status).toBe(415)
    expect(await offsetOf(path)).toBe(0)
  })

  it('PATCH: another offset MUST be 409, and the upload MUST NOT be modified', async () => {
    const path = await create({ 'upload-length': '5' })
    expect((await send(path, 0, 'ab')).status).toBe(204)
    for (const offset of [0, 1, 3, 5]) expect((await send(path, offset, 'xyz')).status).toBe(409)
    expect(await offsetOf(path)).toBe(2)
    const done = await send(path, 2, 'cde')
    expect((await contentOf(done.body.url)).toString()).toBe('abcde')
  })

  it('PATCH: MUST be acknowledged with 204 and the new Upload-Offset', async () => {
    const path = await create({ 'upload-length': '5' })
    const { status, headers, text } = await send(path, 0, 'ab')
    expect([status, headers.get('upload-offset'), text]).toEqual([204, '2', ''])
  })

  it('the last PATCH says what became of the file, as the form does', async () => {
    const path = await create({
      'upload-length': '5',
      'upload-metadata': `filename ${base64('né x.txt')},filetype ${base64('text/plain')}`,
    })
    await room.announced()
    const { status, headers, body } = await send(path, 0, 'abcde')
    expect([status, headers.get('upload-offset')]).toEqual([200, '5'])
    expect(body).toEqual({ result: 'success', msg: '', url: body.url, uri: body.url, filename: 'né x.txt' })
    expect(body.url).toMatch(/^\/user_uploads\/7\/[0-9a-f]{2}\/[\w-]{24}\/né-x\.txt$/)
    const file = await ada.fetch(encodeURI(body.url))
    expect([file.headers.get('content-type'), await file.text()]).toEqual(['text/plain', 'abcde'])
    const [{ value, audience }] = (await room.announced()) as [never]
    expect(audience).toEqual({ realm: 7, users: [ada.id] })
    expect(value).toMatchObject({ type: 'attachment', op: 'add', attachment: { name: 'né x.txt', size: 5 } })
    // Who did not hear it finds it where it is asked how far it came.
    const { headers: after } = await ask('HEAD', path, version)
    expect(after.get('content-location')).toBe(encodeURI(body.url))
  })

  it('the Server SHOULD store as much of a request as possible: cut anywhere, and resumed, it is the same', async () => {
    const content = randomBytes(11 * mib + 4321)
    await swept()
    const [, tails] = await objects()
    const path = await create({ 'upload-length': String(content.length) })
    let offset = 0
    for (let turn = 0; turn < 5; turn += 1) {
      const at = Math.floor(Math.random() * (content.length - offset))
      await send(path, offset, cut(content.subarray(offset), at)).catch(() => {})
      const came = await offsetOf(path)
      expect(came).toBeGreaterThanOrEqual(offset)
      expect(came).toBeLessThanOrEqual(offset + at)
      offset = came
    }
    expect(offset).toBeGreaterThan(0)
    const last = await send(path, offset, content.subarray(offset))
    expect((await contentOf(last.body.url)).equals(content)).toBe(true)
    await swept()
    expect((await objects())[1]).toEqual(tails)
  })

  it('more than the upload is long is refused, and what is there stays', async () => {
    const path = await create({ 'upload-length': '5' })
    expect((await send(path, 0, 'ab')).status).toBe(204)
    expect((await send(path, 2, 'cdefgh')).status).toBe(413)
    expect(await offsetOf(path)).toBe(2)
  })

  it('OPTIONS: MUST contain Tus-Version, and MAY Tus-Extension and Tus-Max-Size; no version, no account needed', async () => {
    for (const path of ['/tus', '/tus/anything']) {
      const { status, headers } = await ask('OPTIONS', path, {}, { as: await room.stranger() })
      expect([status, headers.get('tus-version')]).toEqual([204, '1.0.0'])
      expect(headers.get('tus-max-size')).toBe(String(16 * mib))
      expect(headers.get('tus-extension')!.split(',')).toEqual([
        'creation',
        'creation-with-upload',
        'creation-defer-length',
        'expiration',
        'checksum',
        'termination',
        'concatenation',
      ])
    }
  })

  it('Tus-Resumable MUST be included in every response; another version MUST be 412 with Tus-Version, unprocessed', async () => {
    const path = await create({ 'upload-length': '1' })
    for (const [method, where] of [
      ['POST', '/tus'],
      ['HEAD', path],
      ['PATCH', path],
      ['DELETE', path],
    ] as const) {
      for (const sent of [{}, { 'tus-resumable': '0.2.2' }]) {
        const { status, headers } = await ask(method, where, { 'upload-length': '1', ...sent } as never)
        expect([status, headers.get('tus-version'), headers.get('tus-resumable')]).toEqual([
          412,
          '1.0.0',
          '1.0.0',
        ])
      }
      const { headers } = await ask(method, where, version)
      expect(headers.get('tus-resumable')).toBe('1.0.0')
    }
  })

  it('X-HTTP-Method-Override MUST be taken for the method', async () => {
    const path = await create({ 'upload-length': '5' })
    const as = (method: string) => ({ ...piece, 'x-http-method-override': method })
    const patched = await ask('POST', path, { ...as('PATCH'), 'upload-offset': '0' }, { body: 'ab' })
    expect([patched.status, patched.headers.get('upload-offset')]).toEqual([204, '2'])
    expect((await ask('POST', path, as('HEAD'))).headers.get('upload-offset')).toBe('2')
    expect((await ask('POST', path, as('DELETE'))).status).toBe(204)
    expect((await ask('POST', path, as('HEAD'))).status).toBe(404)
    expect((await ask('POST', path, as('GET'))).status).toBe(400)
    const described = await ask('POST', '/tus', { 'x-http-method-override': 'OPTIONS' })
    expect([described.status, described.headers.get('tus-version')]).toEqual([204, '1.0.0'])
  })
})

describe('creation', () => {
  it('MUST be 201 with Location', async () => {
    const { status, headers } = await ask('POST', '/tus', { ...version, 'upload-length': '5' })
    expect(status).toBe(201)
    expect(headers.get('location')).toMatch(/^\/api\/v1\/tus\/[\w-]{32}$/)
  })

  it('an empty file is finished at once', async () => {
    const { status, headers, body } = await ask('POST', '/tus', { ...version, 'upload-length': '0' })
    expect([status, headers.get('upload-offset')]).toEqual([201, '0'])
    expect((await contentOf(body.url)).length).toBe(0)
  })

  it('Upload-Length MUST be a non-negative integer, and be there', async () => {
    for (const sent of ['-1', '1.5', 'x', '0x10', '', '99999999999999999999']) {
      expect((await ask('POST', '/tus', { ...version, 'upload-length': sent })).status, sent).toBe(400)
    }
    expect((await ask('POST', '/tus', version)).status).toBe(400)
  })

  it('more than Tus-Max-Size MUST be 413', async () => {
    const over = await ask('POST', '/tus', { ...version, 'upload-length': String(16 * mib + 1) })
    expect([over.status, over.body.code]).toEqual([413, 'BAD_REQUEST'])
    await create({ 'upload-length': String(16 * mib) })
  })

  it('Upload-Defer-Length MUST be 1; HEAD MUST say it until the length is known, which MUST NOT change then', async () => {
    const deferred = { ...version, 'upload-defer-length': '2' }
    expect((await ask('POST', '/tus', deferred)).status).toBe(400)
    expect(
      (await ask('POST', '/tus', { ...version, 'upload-defer-length': '1', 'upload-length': '5' })).status,
    ).toBe(400)
    const path = await create({ 'upload-defer-length': '1' })
    const before = await ask('HEAD', path, version)
    expect([before.headers.get('upload-defer-length'), before.headers.get('upload-length')]).toEqual([
      '1',
      null,
    ])
    expect((await send(path, 0, 'ab')).status).toBe(204)
    expect((await send(path, 2, 'c', { 'upload-length': '1' })).status).toBe(400)
    expect((await send(path, 2, 'c', { 'upload-length': String(17 * mib) })).status).toBe(413)
    expect((await send(path, 2, 'c', { 'upload-length': '5' })).status).toBe(204)
    const after = await ask('HEAD', path, version)
    expect([after.headers.get('upload-defer-length'), after.headers.get('upload-length')]).toEqual([
      null,
      '5',
    ])
    expect((await send(path, 3, 'd', { 'upload-length': '6' })).status).toBe(400)
    const { body } = await send(path, 3, 'de', { 'upload-length': '5' })
    expect((await contentOf(body.url)).toString()).toBe('abcde')
  })

  it('a length that is said when all is there ends the upload', async () => {
    const path = await create({ 'upload-defer-length': '1' })
    await send(path, 0, 'abc')
    const { body } = await send(path, 3, '', { 'upload-length': '3' })
    expect((await contentOf(body.url)).toString()).toBe('abc')
  })

  it('Upload-Metadata: keys MUST be unique and not empty, values Base64; HEAD MUST tell it as it was', async () => {
    const good = `filename ${base64('a.txt')},is_secret,other ${base64('ü')}`
    const path = await create({ 'upload-length': '5', 'upload-metadata': good })
    expect((await ask('HEAD', path, version)).headers.get('upload-metadata')).toBe(good)
    for (const bad of [`a ${base64('x')},a ${base64('y')}`, 'a b c', 'a !!!', ', a', `${base64('x')} x x`]) {
      const { status } = await ask('POST', '/tus', {
        ...version,
        'upload-length': '5',
        'upload-metadata': bad,
      })
      expect(status, bad).toBe(400)
    }
  })

  it('the quota of the organization holds', async () => {
    room.deps.realms.learn({ ...room.realm, settings: { upload_quota_mib: 1 }, version: 2 })
    const early = await ask('POST', '/tus', { ...version, 'upload-length': String(2 * mib) })
    expect([early.status, early.body.code]).toEqual([400, 'REALM_UPLOAD_QUOTA'])
    room.deps.realms.learn({ ...room.realm, settings: {}, version: 3 })
    const path = await create({ 'upload-length': String(2 * mib) })
    room.deps.realms.learn({ ...room.realm, settings: { upload_quota_mib: 1 }, version: 4 })
    const late = await send(path, 0, Buffer.alloc(2 * mib))
    expect([late.status, late.body.code]).toEqual([400, 'REALM_UPLOAD_QUOTA'])
    room.deps.realms.learn({ ...room.realm, settings: {}, version: 5 })
    expect((await ask('HEAD', path, version)).status).toBe(404)
  })
})

describe('creation-with-upload', () => {
  it('the response MUST have the Upload-Offset that came, and the file when that is all', async () => {
    const part = await ask('POST', '/tus', { ...piece, 'upload-length': '5' }, { body: 'abc' })
    expect([part.status, part.headers.get('upload-offset'), part.text]).toEqual([201, '3', ''])
    const { body } = await send(part.headers.get('location')!.slice(7), 3, 'de')
    expect((await contentOf(body.url)).toString()).toBe('abcde')
    const whole = await ask('POST', '/tus', { ...piece, 'upload-length': '5' }, { body: 'abcde' })
    expect([whole.status, whole.body.result]).toEqual([201, 'success'])
    expect((await contentOf(whole.body.url)).toString()).toBe('abcde')
  })

  it('the Client MUST say application/offset+octet-stream', async () => {
    const sent = { ...version, 'upload-length': '5', 'content-type': 'text/plain' }
    expect((await ask('POST', '/tus', sent, { body: 'abc' })).status).toBe(415)
  })
})

describe('expiration', () => {
  it('MUST be said of an unfinished upload by HTTP date; what is over is gone, with its bytes', async () => {
    await swept()
    const [, tails] = await objects()
    const path = await create({ 'upload-length': String(8 * mib) })
    const { headers } = await send(path, 0, randomBytes(6 * mib))
    const said = headers.get('upload-expires')!
    expect(new Date(said).toUTCString()).toBe(said)
    expect(Date.parse(said)).toBeGreaterThan(Date.now() + 3600_000)
    const { sql } = room.deps.database
    await sql`UPDATE resumable_uploads SET expires_at = now() - interval '1 second' WHERE id = ${path.slice(5)}`
    expect((await ask('HEAD', path, version)).status).toBe(404)
    expect(await expireUploads(room.deps.database)).toBeGreaterThan(0)
    await swept()
    expect((await objects())[1]).toEqual(tails)
    expect((await sql`SELECT FROM resumable_parts WHERE upload_id = ${path.slice(5)}`).count).toBe(0)
  })

  it('a finished upload stays a file when it is forgotten', async () => {
    const path = await create({ 'upload-length': '3' })
    const { body } = await send(path, 0, 'abc')
    await room.deps.database.sql`UPDATE resumable_uploads SET expires_at = now() - interval '1 second'`
    while ((await expireUploads(room.deps.database)) > 0);
    await swept()
    expect((await contentOf(body.url)).toString()).toBe('abc')
  })
})

describe('checksum', () => {
  const sum = (algorithm: string, text: string | Buffer) =>
    `${algorithm} ${createHash(algorithm).update(text).digest('base64')}`

  it('the Server MUST support sha1, and MUST name what it supports', async () => {
    const { headers } = await ask('OPTIONS', '/tus')
    for (const algorithm of headers.get('tus-checksum-algorithm')!.split(',')) {
      const path = await create({ 'upload-length': '3' })
      expect((await send(path, 0, 'abc', { 'upload-checksum': sum(algorithm, 'abc') })).status).toBe(200)
    }
    expect(headers.get('tus-checksum-algorithm')).toContain('sha1')
  })

  it('a mismatch MUST be 460, discarded, with the offset not updated; however large', async () => {
    const content = randomBytes(7 * mib)
    const path = await create({ 'upload-length': String(content.length) })
    const wrong = await send(path, 0, content, { 'upload-checksum': sum('sha1', 'other') })
    expect(wrong.status).toBe(460)
    expect(await offsetOf(path)).toBe(0)
    const { sql } = room.deps.database
    const [row] = await sql`SELECT object_key FROM resumable_uploads WHERE id = ${path.slice(5)}`
    expect(await room.store.parts.begun(row!.object_key)).toEqual([])
    const done = await send(path, 0, content, { 'upload-checksum': sum('sha256', content) })
    expect((await contentOf(done.body.url)).equals(content)).toBe(true)
  })

  it('what breaks off before it could be compared is discarded', async () => {
    const content = randomBytes(6 * mib)
    const path = await create({ 'upload-length': String(content.length) })
    const checksum = { 'upload-checksum': sum('sha1', content) }
    await send(path, 0, cut(content, 5.5 * mib), checksum).catch(() => {})
    expect(await offsetOf(path)).toBe(0)
  })

  it('an algorithm that is not supported MUST be 400', async () => {
    const path = await create({ 'upload-length': '3' })
    for (const sent of ['crc32 AAAA', 'sha1', 'sha1 !', '']) {
      expect((await send(path, 0, 'abc', { 'upload-checksum': sent })).status, sent).toBe(400)
    }
    expect(await offsetOf(path)).toBe(0)
  })
})

describe('termination', () => {
  it('MUST be 204; afterwards it is 404, and nothing of it stays', async () => {
    await swept()
    const [, tails] = await objects()
    const path = await create({ 'upload-length': String(7 * mib) })
    await send(path, 0, randomBytes(6 * mib))
    expect((await ask('DELETE', path, version)).status).toBe(204)
    for (const method of ['HEAD', 'DELETE']) expect((await ask(method, path, version)).status).toBe(404)
    expect((await send(path, 6 * mib, 'x')).status).toBe(404)
    await swept()
    expect((await objects())[1]).toEqual(tails)
  })

  it('does not take away a file that is finished', async () => {
    const path = await create({ 'upload-length': '3' })
    const { body } = await send(path, 0, 'abc')
    expect((await ask('DELETE', path, version)).status).toBe(204)
    await swept()
    expect((await contentOf(body.url)).toString()).toBe('abc')
  })
})

describe('concatenation', () => {
  const partial = async (content: Buffer | string) => {
    const length = { 'upload-length': String(content.length), 'upload-concat': 'partial' }
    const path = await create(length)
    const { status, text } = await send(path, 0, content)
    expect([status, text]).toEqual([204, ''])
    return path
  }
  const join = (...paths: string[]) => `final;${paths.map((path) => `/api/v1${path}`).join(' ')}`

  it('a final upload is its parts in order; HEAD MUST tell Upload-Concat; PATCH MUST be 403', async () => {
    const [one, two] = [randomBytes(6 * mib), randomBytes(3 * mib)]
    const [first, empty, second] = [await partial(one), await partial('x'), await partial(two)]
    const concat = join(first, empty, second)
    const metadata = `filename ${base64('joined.bin')}`
    const made = await ask('POST', '/tus', {
      ...version,
      'upload-concat': concat,
      'upload-metadata': metadata,
    })
    expect([made.status, made.body.filename]).toEqual([201, 'joined.bin'])
    const whole = Buffer.concat([one, Buffer.from('x'), two])
    expect((await contentOf(made.body.url)).equals(whole)).toBe(true)
    const path = made.headers.get('location')!.slice(7)
    const head = await ask('HEAD', path, version)
    expect(head.headers.get('upload-concat')).toBe(concat)
    expect(head.headers.get('upload-length')).toBe(String(whole.length))
    expect((await ask('HEAD', first, version)).headers.get('upload-concat')).toBe('partial')
    expect((await send(path, whole.length, 'x')).status).toBe(403)
  })

  it('Upload-Length MUST NOT be sent; parts are one’s own, finished, and parts; the whole is not too large', async () => {
    const part = await partial('abc')
    const final = (concat: string, headers = {}, as = ada) =>
      ask('POST', '/tus', { ...version, 'upload-concat': concat, ...headers }, { as })
    expect((await final(join(part), { 'upload-length': '3' })).status).toBe(400)
    expect((await final(join(part), {}, bob)).status).toBe(400)
    expect((await final(join(part, '/tus/nothing'))).status).toBe(400)
    expect((await final(join(await create({ 'upload-length': '3' })))).status).toBe(400)
    const unfinished = await create({ 'upload-length': '3', 'upload-concat': 'partial' })
    expect((await final(join(unfinished))).status).toBe(409)
    for (const bad of ['final', 'final;', 'partial;x', 'x', 'final;http://x/']) {
      expect((await final(bad)).status, bad).toBe(400)
    }
    const large = await partial(Buffer.alloc(9 * mib))
    expect((await final(join(large, large))).status).toBe(413)
  })

  it('parts are no files, and go when their time is over', async () => {
    const before = ((await (await ada.fetch('/api/v1/attachments')).json()) as { attachments: [] })
      .attachments
    await partial('abc')
    const after = ((await (await ada.fetch('/api/v1/attachments')).json()) as { attachments: [] }).attachments
    expect(after).toEqual(before)
    await room.deps.database.sql`UPDATE resumable_uploads SET expires_at = now() - interval '1 second'`
    while ((await expireUploads(room.deps.database)) > 0);
    await swept()
    expect((await objects())[2]).toEqual([])
  })
})

describe('several requests, in several processes', () => {
  it('whoever comes back ends the request that still hangs, and what had come is there', async () => {
    const content = randomBytes(6 * mib)
    const path = await create({ 'upload-length': String(content.length) })
    let release = () => {}
    const hanging = new Promise<void>((resolve) => {
      release = resolve
    })
    const stream = Readable.from(
      (async function* () {
        yield content.subarray(0, 5.5 * mib)
        await hanging
      })(),
    )
    const first = send(path, 0, Readable.toWeb(stream) as never).catch(() => undefined)
    const { sql } = room.deps.database
    const came = async () =>
      (await sql<{ bytes: number }[]>`SELECT bytes FROM resumable_uploads WHERE id = ${path.slice(5)}`)[0]!
        .bytes
    await expect.poll(came, { timeout: 10_000 }).toBe(5 * mib)
    const offset = await offsetOf(path)
    expect(offset).toBeGreaterThanOrEqual(5 * mib)
    release()
    await first
    const done = await send(path, offset, content.subarray(offset))
    expect((await contentOf(done.body.url)).equals(content)).toBe(true)
  })

  it('a process that was killed is waited out, and what it does later changes nothing', async () => {
    const path = await create({ 'upload-length': '5' })
    const { sql } = room.deps.database
    await takeHold(sql, path.slice(5), 'a process that is gone', 1)
    const { body } = await send(path, 0, 'abcde')
    expect((await contentOf(body.url)).toString()).toBe('abcde')
  })

  it('two that send the same at once: one of them is heard', async () => {
    const content = randomBytes(2 * mib)
    const path = await create({ 'upload-length': String(content.length) })
    const outcomes = await Promise.all([send(path, 0, content), send(path, 0, content)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await contentOf(outcomes.find(({ status }) => status === 200)!.body.url)).equals(content)).toBe(
      true,
    )
  })

  it('killed after the last part, before it became a file: it becomes one when it is asked for, once', async () => {
    const content = randomBytes(6 * mib)
    for (const isCompleted of [false, true]) {
      const path = await create({ 'upload-length': String(content.length) })
      const broken = { ...room.deps.store.parts, complete: () => Promise.reject(new Error('killed')) }
      const { parts } = room.deps.store
      Object.assign(room.deps.store, { parts: broken })
      expect((await send(path, 0, content)).status).toBe(500)
      Object.assign(room.deps.store, { parts })
      const { sql } = room.deps.database
      const [row] = await sql`SELECT * FROM resumable_uploads WHERE id = ${path.slice(5)}`
      const stored = await sql<{ number: number; etag: string }[]>`
        SELECT number, etag FROM resumable_parts WHERE upload_id = ${path.slice(5)} ORDER BY number`
      if (isCompleted) expect(await parts.complete(row!.object_key, row!.store_upload, stored)).toBe(true)
      await room.announced()
      expect(await offsetOf(path)).toBe(content.length)
      expect(await offsetOf(path)).toBe(content.length)
      expect((await room.announced()).map(({ value }) => value.op)).toEqual(['add'])
      expect((await buffer((await room.store.get(row!.object_key))!)).equals(content)).toBe(true)
    }
  })

  it('the store away: 503 with Retry-After, nothing recorded, and it goes on when it is back', async () => {
    const content = randomBytes(6 * mib)
    const path = await create({ 'upload-length': String(content.length) })
    const { put, parts } = room.deps.store
    const away = () => Promise.reject(new EngineUnavailableError('object store'))
    Object.assign(room.deps.store, { put: away, parts: { ...parts, begin: away, put: away, abandon: away } })
    await room.announced()
    const refused = await send(path, 0, content)
    expect([refused.status, refused.body.code]).toEqual([503, 'SERVER_NOT_READY'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await offsetOf(path)).toBe(0)
    Object.assign(room.deps.store, { put, parts })
    expect(await room.announced()).toEqual([])
    expect((await send(path, 0, content)).status).toBe(200)
  })
})

it('is for accounts only', async () => {
  const stranger = await room.stranger()
  for (const method of ['POST', 'HEAD', 'PATCH', 'DELETE']) {
    const path = method === 'POST' ? '/tus' : '/tus/x'
    expect((await ask(method, path, version, { as: stranger })).status).toBe(401)
  }
})
