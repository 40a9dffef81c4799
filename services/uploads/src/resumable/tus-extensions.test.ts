/** The sentences of the protocol (tus 1.0.0) with MUST in them: the other extensions that are offered; one test each. */
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { expireUploads } from './expire-uploads.ts'
import { base64, mib, openTusRoom, version } from './test-tus.ts'

const { room, ada, bob, ask, create, send, offsetOf, row, broken, contentOf, objects, swept } =
  await openTusRoom()
afterAll(() => room.close())

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
    const { object_key } = await row(path)
    const isThere = () =>
      expect.poll(async () => (await room.store.parts.begun(object_key)).length, { timeout: 10_000 }).toBe(1)
    const body = broken(content, 5.5 * mib, async () => void (await isThere()))
    await send(path, 0, body, checksum).catch(() => {})
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
