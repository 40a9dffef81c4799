/** The sentences of the protocol (tus 1.0.0) with MUST in them: its core, and creation; one test each. */
import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { spacePromised, spaceUsed } from '../files/usage-store.ts'
import { form } from '../test-room.ts'
import { base64, mib, openTusRoom, piece, version } from './test-tus.ts'

const { room, ada, bob, ask, create, send, offsetOf, sendAndBreakOff, contentOf, objects, swept } =
  await openTusRoom()
afterAll(() => room.close())

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
      const at = 1 + Math.floor(Math.random() * (content.length - offset - 1))
      await sendAndBreakOff(path, offset, content.subarray(offset), at)
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

describe('the quota', () => {
  it('counts what uploads under way will take: of many begun at once no more than fit', async () => {
    const { sql } = room.deps.database
    const taken = (await spaceUsed(sql, 7)) + (await spacePromised(sql, 7))
    const quota = Math.ceil(taken / mib) + 3
    const fitting = Math.floor((quota * mib - taken) / mib)
    room.deps.realms.learn({ ...room.realm, settings: { upload_quota_mib: quota }, version: 6 })
    const one = { ...version, 'upload-length': String(mib) }
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask('POST', '/tus', one)))
    const begun = answers.filter(({ status }) => status === 201)
    expect(begun).toHaveLength(fitting)
    const refused = answers.filter(({ status, body }) => status === 400 && body.code === 'REALM_UPLOAD_QUOTA')
    expect(refused).toHaveLength(10 - fitting)
    const asForm = () =>
      ada.fetch('/api/v1/user_uploads', { method: 'POST', body: form(['a.bin', Buffer.alloc(3 * mib)]) })
    expect((await asForm()).status).toBe(400)
    // Of a length that nobody said, each piece has to find its place.
    const open = await create({ 'upload-defer-length': '1' })
    expect((await send(open, 0, Buffer.alloc(mib))).status).toBe(400)
    // What is given up makes room; what is finished is counted once.
    const [first, second] = begun.map(({ headers }) => headers.get('location')!.slice(7))
    expect((await ask('DELETE', first!, version)).status).toBe(204)
    expect((await send(second!, 0, Buffer.alloc(mib))).status).toBe(200)
    await create({ 'upload-length': String(mib) })
    expect((await ask('POST', '/tus', one)).status).toBe(400)
    room.deps.realms.learn({ ...room.realm, settings: {}, version: 7 })
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

it('is for accounts only', async () => {
  const stranger = await room.stranger()
  for (const method of ['POST', 'HEAD', 'PATCH', 'DELETE']) {
    const path = method === 'POST' ? '/tus' : '/tus/x'
    expect((await ask(method, path, version, { as: stranger })).status).toBe(401)
  }
})
