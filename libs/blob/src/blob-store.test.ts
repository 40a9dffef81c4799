import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type BlobStore, type BlobStoreAddress, openBlobStore } from './blob-store.ts'
import { createBucket } from './bucket.ts'
import { PartBuffer, partSize } from './part-buffer.ts'

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run through npm test`)
  return value
}

const address = (): BlobStoreAddress => ({
  endpoint: setting('S3_ENDPOINT'),
  accessKey: setting('S3_ACCESS_KEY'),
  secretKey: setting('S3_SECRET_KEY'),
  region: setting('S3_REGION'),
  bucket: `blob-test-${randomBytes(6).toString('hex')}`,
})

let store: BlobStore

beforeAll(async () => {
  const own = address()
  await createBucket({ ...own, name: own.bucket })
  store = await openBlobStore(own)
})

const text = async (stream: Readable | undefined): Promise<string | undefined> =>
  stream === undefined ? undefined : (await buffer(stream)).toString()

describe('a store of the S3 protocol', () => {
  it('gives back what was put, whole and in part, with its type', async () => {
    await store.put('a/b.txt', Buffer.from('0123456789'), { contentType: 'text/plain' })
    expect(await text(await store.get('a/b.txt'))).toBe('0123456789')
    expect(await text(await store.get('a/b.txt', { offset: 3, length: 4 }))).toBe('3456')
    expect(await store.facts('a/b.txt')).toMatchObject({ size: 10, contentType: 'text/plain' })
  })

  it('says undefined for what is not there, and deletes it without complaint', async () => {
    expect(await store.get('nothing')).toBeUndefined()
    expect(await store.facts('nothing')).toBeUndefined()
    await store.delete(['nothing'])
  })

  it('takes a stream of unknown length larger than one part', async () => {
    const chunk = randomBytes(1024 * 1024)
    const stream = Readable.from(
      (function* () {
        for (let n = 0; n < 12; n += 1) yield chunk
      })(),
    )
    await store.put('large', stream, { contentType: 'application/octet-stream' })
    expect((await store.facts('large'))?.size).toBe(12 * 1024 * 1024)
    const tail = await store.get('large', { offset: 11 * 1024 * 1024, length: 1024 * 1024 })
    expect((await buffer(tail!)).equals(chunk)).toBe(true)
  })

  it('keeps nothing of a stream that fails half-way', async () => {
    const failing = Readable.from(
      (function* () {
        yield randomBytes(6 * 1024 * 1024)
        throw new Error('the client went away')
      })(),
    )
    await expect(store.put('half', failing, { contentType: 'text/plain' })).rejects.toThrow('went away')
    expect(await store.facts('half')).toBeUndefined()
  })

  it('makes an object of parts that came one after the other, and forgets those of an upload that is given up', async () => {
    const { parts } = store
    const pieces = [randomBytes(partSize), randomBytes(100)]
    const upload = await parts.begin('in parts', { contentType: 'image/png' })
    // One that was replaced, numbers with gaps, and one that is not wanted in the end.
    await parts.put('in parts', upload, 2, randomBytes(partSize))
    const first = { number: 2, etag: await parts.put('in parts', upload, 2, pieces[0]!) }
    const second = { number: 7, etag: await parts.put('in parts', upload, 7, pieces[1]!) }
    await parts.put('in parts', upload, 9, randomBytes(10))
    expect(await parts.begun('in parts')).toEqual([upload])
    expect(await parts.complete('in parts', upload, [first, second])).toBe(true)
    expect((await buffer((await store.get('in parts'))!)).equals(Buffer.concat(pieces))).toBe(true)
    expect(await store.facts('in parts')).toMatchObject({ contentType: 'image/png' })
    expect(await parts.complete('in parts', upload, [first, second])).toBe(false)

    const given = [
      await parts.begin('in parts', { contentType: 'a/b' }),
      await parts.begin('in parts', { contentType: 'a/b' }),
    ]
    await parts.put('in parts', given[0]!, 1, randomBytes(10))
    expect((await parts.begun('in parts')).sort()).toEqual(given.sort())
    await parts.abandon('in parts')
    expect(await parts.begun('in parts')).toEqual([])
    await parts.abandon('nothing')
  })

  it('lists by prefix and deletes many', async () => {
    const keys = Array.from({ length: 20 }, (_, n) => `many/${String(n).padStart(2, '0')}`)
    await Promise.all(keys.map((key) => store.put(key, Buffer.from('x'), { contentType: 'text/plain' })))
    expect(await Array.fromAsync(store.list('many/'))).toEqual(keys)
    await store.delete(keys)
    expect(await Array.fromAsync(store.list('many/'))).toEqual([])
  })

  it('that cannot be reached is said to be away', async () => {
    await expect(openBlobStore({ ...address(), endpoint: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      name: 'EngineUnavailableError',
    })
  })
})

it('a buffer of one part gives what it was given, in any pieces', () => {
  const content = randomBytes(3 * partSize + 5)
  const gathered = new PartBuffer()
  const seen: Buffer[] = []
  for (let from = 0; from < content.length; from += 70_001) {
    let rest: Buffer = content.subarray(from, Math.min(content.length, from + 70_001))
    while (rest.length > 0) {
      rest = gathered.add(rest)
      if (!gathered.isFull) continue
      seen.push(Buffer.from(gathered.content))
      gathered.clear()
    }
  }
  expect(gathered.size).toBe(5)
  expect(Buffer.concat([...seen, gathered.content]).equals(content)).toBe(true)
})
