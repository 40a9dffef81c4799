/** A client of resumable uploads for this service's tests: no library, so that every header can be wrong. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { partSize } from '@parley/blob'
import { expect } from 'vitest'
import { objectKey } from '../files/name-rules.ts'
import { sweepObjects } from '../objects/sweep-objects.ts'
import { openTestRoom, type Person, type TestRoom } from '../test-room.ts'

export const mib = 1024 * 1024
export const version = { 'tus-resumable': '1.0.0' }
export const piece = { ...version, 'content-type': 'application/offset+octet-stream' }
export const base64 = (text: string) => Buffer.from(text).toString('base64')

interface Options {
  readonly as?: Person
  readonly body?: RequestInit['body']
}

/** A room with two people, and what they do in it; `ada` where nobody else is named. */
export const openTusRoom = async () => {
  const room: TestRoom = await openTestRoom({ sizes: { file: 16, avatar: 5 } })
  const [ada, bob] = [await room.person(), await room.person()]

  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    { as = ada, body }: Options = {},
  ) => {
    const init = { method, headers, ...(body == null ? {} : { body, duplex: 'half' }) }
    const answer = await as.fetch(`/api/v1${path}`, init as RequestInit)
    const text = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: text === '' ? null : JSON.parse(text),
    }
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

  const row = async (path: string) => {
    const { sql } = room.deps.database
    const [found] = await sql<
      { bytes: number; object_key: string; store_upload: string | null; is_held: boolean }[]
    >`
      SELECT bytes, object_key, store_upload, holder IS NOT NULL AS is_held FROM resumable_uploads
      WHERE id = ${path.slice('/tus/'.length)}`
    return found!
  }
  /** A body of which `at` bytes are sent; it breaks off as soon as `isThere` says that they have arrived. */
  const broken = (content: Buffer, at: number, isThere: () => Promise<void>) =>
    Readable.toWeb(
      Readable.from(
        (async function* () {
          for (let from = 0; from < at; from += 65_521)
            yield content.subarray(from, Math.min(at, from + 65_521))
          await isThere()
          throw new Error('cut')
        })(),
      ),
    ) as unknown as RequestInit['body']

  return {
    room,
    ada,
    bob,
    ask,
    create,
    send,
    offsetOf,
    row,
    broken,
    /**
     * Sends `at` bytes of the rest, one at least, and breaks off once all whole parts of what is there then are stored,
     * and the service has begun with it: a question that overtakes the request on its way could not end it.
     */
    sendAndBreakOff: async (path: string, offset: number, rest: Buffer, at: number): Promise<void> => {
      const whole = Math.floor((offset + at) / partSize) * partSize
      const isThere = () =>
        expect
          .poll(
            async () => {
              const { bytes, is_held } = await row(path)
              return is_held ? bytes : -1
            },
            { timeout: 10_000 },
          )
          .toBeGreaterThanOrEqual(Math.max(offset, whole))
      await send(
        path,
        offset,
        broken(rest, at, async () => void (await isThere())),
      ).catch(() => {})
    },
    /** What the store has of a file. */
    contentOf: async (url: string): Promise<Buffer> =>
      buffer((await room.store.get(objectKey(url.slice('/user_uploads/'.length))))!),
    objects: () =>
      Promise.all(['files/', 'tails/', 'partials/'].map((at) => Array.fromAsync(room.store.list(at)))),
    swept: async (): Promise<void> => {
      while ((await sweepObjects(room.deps.database, room.store)) > 0);
    },
  }
}
