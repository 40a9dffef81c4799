import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { EngineUnavailableError } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweepObjects } from '../objects/sweep-objects.ts'
import { form, openTestRoom, type Person, type TestRoom } from '../test-room.ts'
import { nameInPath, newPathId, objectKey, storedName } from './name-rules.ts'

let room: TestRoom
let ada: Person
let bob: Person

beforeAll(async () => {
  room = await openTestRoom()
  ada = await room.person()
  bob = await room.person()
})
afterAll(() => room.close())

const upload = async (person: Person, body: RequestInit['body'], headers: Record<string, string> = {}) => {
  const answer = await person.fetch('/api/v1/user_uploads', { method: 'POST', body: body!, headers })
  return { status: answer.status, body: (await answer.json()) as Record<string, never> }
}

const objects = () => Array.fromAsync(room.store.list('files/'))

describe('POST /user_uploads', () => {
  it('stores one file of any field name, tells its uploader, and lists it', async () => {
    await room.announced()
    const { body } = await upload(ada, form(['zulip.txt', 'hello']))
    expect(body).toMatchObject({ result: 'success', filename: 'zulip.txt' })
    expect(body.url).toMatch(/^\/user_uploads\/7\/[0-9a-f]{2}\/[\w-]{24}\/zulip\.txt$/)
    expect(body.uri).toBe(body.url)
    const path_id = String(body.url).slice('/user_uploads/'.length)
    expect((await buffer((await room.store.get(objectKey(path_id)))!)).toString()).toBe('hello')

    const attachment = { name: 'zulip.txt', path_id, size: 5, message_ids: [] }
    const [{ value, audience }] = (await room.announced()) as [never]
    expect(audience).toEqual({ realm: 7, users: [ada.id] })
    expect(value).toMatchObject({ type: 'attachment', op: 'add', attachment, upload_space_used: 5 })
    const listed = await (await ada.fetch('/api/v1/attachments')).json()
    expect(listed).toMatchObject({ attachments: [attachment], upload_space_used: 5 })
    expect(await (await bob.fetch('/api/v1/attachments')).json()).toMatchObject({ attachments: [] })
  })

  it('refuses none, two, one that is too large, one that breaks off, and keeps nothing of them', async () => {
    const before = await objects()
    const refusals: [RequestInit['body'], string, Record<string, string>?][] = [
      [new FormData(), 'You must specify a file to upload'],
      ['', 'You must specify a file to upload'],
      [form(['', 'no name']), 'You must specify a file to upload'],
      [form(['a', '1'], ['b', '2']), 'You may only upload one file at a time'],
      [
        form(['big', Buffer.alloc(6 * 1024 * 1024 + 1)]),
        'Uploaded file is larger than the allowed limit of 6 MiB',
      ],
      [
        '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nabc',
        'The request is malformed.',
        { 'content-type': 'multipart/form-data; boundary=b' },
      ],
      ['x', 'The request is malformed.', { 'content-type': 'multipart/form-data' }],
    ]
    for (const [body, msg, headers] of refusals) {
      const answer = await upload(ada, body, headers)
      expect([answer.status, answer.body.code, answer.body.msg], msg).toEqual([400, 'BAD_REQUEST', msg])
    }
    while ((await sweepObjects(room.deps.database, room.store)) > 0);
    expect(await objects()).toEqual(before)
    expect(await room.announced()).toEqual([])
  })

  it('takes a file of the size limit, and an empty one', async () => {
    expect((await upload(ada, form(['most', Buffer.alloc(6 * 1024 * 1024)]))).status).toBe(200)
    expect((await upload(ada, form(['empty', '']))).status).toBe(200)
  })

  it('holds the quota of the organization, also when several come at once', async () => {
    const { realm } = room
    const used = async () =>
      ((await (await ada.fetch('/api/v1/attachments')).json()) as { upload_space_used: number })
        .upload_space_used
    const mib = 1024 * 1024
    const full = Math.ceil((await used()) / mib) + 4
    room.deps.realms.learn({ ...realm, settings: { upload_quota_mib: full }, version: 2 })
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => upload(bob, form(['x', Buffer.alloc(mib)]))),
    )
    const refused = outcomes.filter(({ status }) => status === 400)
    expect(refused.length).toBeGreaterThanOrEqual(2)
    for (const { body } of refused) expect(body.code).toBe('REALM_UPLOAD_QUOTA')
    expect(await used()).toBeLessThanOrEqual(full * mib)
    room.deps.realms.learn({ ...realm, settings: {}, version: 3 })
  })

  it('is for accounts only', async () => {
    const stranger = await room.stranger()
    expect((await upload(stranger, form(['a', 'b']))).status).toBe(401)
    const hook = await room.person('member', { bot_type: 2 })
    expect((await upload(hook, form(['a', 'b']))).status).toBe(400)
  })
})

describe('DELETE /attachments/{id}', () => {
  it("deletes the uploader's file with its bytes, nobody else's, and once", async () => {
    const { body } = await upload(ada, form(['gone.txt', 'bye']))
    await room.announced()
    const { attachments } = (await (await ada.fetch('/api/v1/attachments')).json()) as {
      attachments: { id: number; path_id: string }[]
    }
    const { id, path_id } = attachments[0]!
    expect(body.url).toBe(`/user_uploads/${path_id}`)
    const remove = async (person: Person, which: number) => {
      const answer = await person.fetch(`/api/v1/attachments/${which}`, { method: 'DELETE' })
      return [answer.status, ((await answer.json()) as { msg: string }).msg]
    }
    expect(await remove(bob, id)).toEqual([400, 'Invalid attachment'])
    expect(await remove(bob, 999_999)).toEqual([400, 'Invalid attachment'])
    expect(await remove(ada, id)).toEqual([200, ''])
    expect(await remove(ada, id)).toEqual([400, 'Invalid attachment'])
    const [{ value, audience }] = (await room.announced()) as [never]
    expect(audience).toEqual({ realm: 7, users: [ada.id] })
    expect(value).toMatchObject({ type: 'attachment', op: 'remove', attachment: { id } })
    while ((await sweepObjects(room.deps.database, room.store)) > 0);
    expect(await room.store.get(objectKey(path_id))).toBeUndefined()
  })
})

describe('a store that is away', () => {
  it('is a 503 with Retry-After, nothing is recorded, and everything else works', async () => {
    const away = () => Promise.reject(new EngineUnavailableError('object store'))
    const lost = await openTestRoom({
      store: { ...room.store, put: away, get: away, delete: away } as never,
    })
    try {
      const person = await lost.person()
      const answer = await person.fetch('/api/v1/user_uploads', { method: 'POST', body: form(['a', 'b']) })
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await answer.json()).toMatchObject({ result: 'error', code: 'SERVER_NOT_READY' })
      expect(await (await person.fetch('/api/v1/attachments')).json()).toMatchObject({
        attachments: [],
        upload_space_used: 0,
      })
      expect(await lost.announced()).toEqual([])
    } finally {
      await lost.close()
    }
  })
})

describe('names', () => {
  it.each([
    ['report.pdf', 'report.pdf', 'report.pdf'],
    ['Ünïcödé 文件.txt', 'Ünïcödé 文件.txt', 'Ünïcödé-文件.txt'],
    ['../../etc/passwd', 'passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini', 'boot.ini'],
    ['..', 'uploaded-file', 'uploaded-file'],
    ['', 'uploaded-file', 'uploaded-file'],
    ['<script>alert(1)<\u2044script>.html', '<script>alert(1)<\u2044script>.html', 'scriptalert1script.html'],
    ['evil\u202egnp.exe', 'evilgnp.exe', 'evilgnp.exe'],
    ['a\u0000b\r\nc.txt', 'abc.txt', 'abc.txt'],
    ['100%25 ?#&.txt', '100%25 ?#&.txt', '10025-.txt'],
    ['\ud800lone.txt', '\ufffdlone.txt', 'lone.txt'],
    ['\u2066\u2069', 'uploaded-file', 'uploaded-file'],
    ['💥', '💥', 'uploaded-file'],
  ])('%j is stored as %j and found at %j', (sent, stored, inPath) => {
    expect(storedName(sent)).toBe(stored)
    expect(nameInPath(storedName(sent))).toBe(inPath)
  })

  it('that are long keep their ending', () => {
    const long = storedName(`${'あ'.repeat(1000)}.tar.gz`)
    expect([...long]).toHaveLength(255)
    expect(long.endsWith('.gz')).toBe(true)
    const inPath = nameInPath(long)
    expect(Buffer.byteLength(inPath)).toBeLessThanOrEqual(200)
    expect(inPath.endsWith('.gz')).toBe(true)
    expect(objectKey(newPathId(7, long))).toMatch(/^files\/7\/[0-9a-f]{2}\/[\w-]{24}$/)
  })
})

it('a sender that leaves half-way leaves nothing', async () => {
  while ((await sweepObjects(room.deps.database, room.store)) > 0);
  const before = await objects()
  const begun = () => room.deps.database.sql`SELECT FROM loose_objects`
  const controller = new AbortController()
  const body = Readable.toWeb(
    Readable.from(
      (async function* () {
        yield Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n')
        yield Buffer.alloc(5.5 * 1024 * 1024)
        await expect.poll(async () => (await begun()).count, { timeout: 10_000 }).toBe(1)
        controller.abort()
        await new Promise(() => {})
      })(),
    ),
  )
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  await expect(
    ada.fetch('/api/v1/user_uploads', {
      method: 'POST',
      body: body as never,
      headers,
      duplex: 'half',
      signal: controller.signal,
    } as RequestInit),
  ).rejects.toThrow()
  const loose = () => room.deps.database.sql`SELECT FROM loose_objects WHERE discard_at <= now()`
  await expect.poll(async () => (await loose()).count, { timeout: 10_000 }).toBe(1)
  while ((await sweepObjects(room.deps.database, room.store)) > 0);
  expect(await objects()).toEqual(before)
})
