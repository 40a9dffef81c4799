/** Uploads whose requests come to several processes, some of which are killed. */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { EngineUnavailableError } from '@parley/contracts'
import { afterAll, describe, expect, it } from 'vitest'
import { mib, openTusRoom } from './test-tus.ts'
import { takeHold } from './upload-store.ts'

const { room, create, send, offsetOf, contentOf } = await openTusRoom()
afterAll(() => room.close())

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
