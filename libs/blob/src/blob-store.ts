import type { Readable } from 'node:stream'
import { EngineUnavailableError } from '@parley/contracts'
import { Client } from 'minio'
import { type Multipart, multipart } from './multipart.ts'
import { putStream } from './put-stream.ts'

/** Where the objects are: any store that speaks the S3 protocol. */
export interface BlobStoreAddress {
  /** E.g. `http://127.0.0.1:9000`. */
  readonly endpoint: string
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
  readonly bucket: string
}

export interface BlobFacts {
  /** Bytes. */
  readonly size: number
  readonly contentType: string
  readonly etag: string
}

/**
 * Objects of one bucket. Only the S3 contract is used, so that any store serves (README).
 * Every method throws EngineUnavailableError when the store cannot be reached.
 */
export interface BlobStore {
  /**
   * Stores what the stream gives, under back-pressure: at most one part (5 MiB) is in memory, so it has at most 48 GiB.
   * A stream that fails leaves no object behind.
   */
  put(key: string, content: Readable | Buffer, options: { contentType: string }): Promise<void>
  /** The object, or `length` bytes of it from `offset` on; undefined when there is none. */
  get(key: string, range?: { offset: number; length: number }): Promise<Readable | undefined>
  facts(key: string): Promise<BlobFacts | undefined>
  /** Deleting what is not there is no error. */
  delete(keys: readonly string[]): Promise<void>
  /** Objects that come in parts, over more than one request. */
  readonly parts: Multipart
  /** Keys with this prefix, in their order. */
  list(prefix: string): AsyncIterable<string>
  ready(): Promise<void>
}

/** Told of each request to the store when it is made; what it returns is told of the answer, with the error if there was one. */
export type BlobWatch = (name: () => string) => (error?: unknown) => void

const absent = new Set(['NoSuchKey', 'NotFound', 'NoSuchVersion'])
const away = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'SlowDown',
  'ServiceUnavailable',
  'XMinioServerNotInitialized',
])

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '')

type Guard = <T>(name: string, work: Promise<T>) => Promise<T>

const guarded =
  (watch: BlobWatch): Guard =>
  async (name, work) => {
    const end = watch(() => name)
    try {
      const result = await work
      end()
      return result
    } catch (error) {
      end(error)
      throw away.has(codeOf(error)) ? new EngineUnavailableError('object store', { cause: error }) : error
    }
  }

const unlessAbsent = async <T>(guard: Guard, name: string, work: Promise<T>): Promise<T | undefined> => {
  try {
    return await guard(name, work)
  } catch (error) {
    if (absent.has(codeOf(error))) return undefined
    throw error
  }
}

/** Most keys that one request may delete (S3, DeleteObjects). */
const deleteLimit = 1000

/** Opens the bucket, which has to exist (`createBucket`). */
export const openBlobStore = async (
  address: BlobStoreAddress,
  watch: BlobWatch = () => () => {},
): Promise<BlobStore> => {
  const guard = guarded(watch)
  const url = new URL(address.endpoint)
  const useSSL = url.protocol === 'https:'
  const client = new Client({
    endPoint: url.hostname,
    port: url.port === '' ? (useSSL ? 443 : 80) : Number(url.port),
    useSSL,
    accessKey: address.accessKey,
    secretKey: address.secretKey,
    region: address.region,
  })
  const { bucket } = address
  const bare = multipart(client, bucket)
  const parts: Multipart = {
    begin: (...input) => guard('CreateMultipartUpload', bare.begin(...input)),
    put: (...input) => guard('UploadPart', bare.put(...input)),
    complete: (...input) => guard('CompleteMultipartUpload', bare.complete(...input)),
    begun: (...input) => guard('ListMultipartUploads', bare.begun(...input)),
    abort: (...input) => guard('AbortMultipartUpload', bare.abort(...input)),
    abandon: (...input) => guard('AbortMultipartUpload', bare.abandon(...input)),
  }
  const putWhole = async (key: string, content: Buffer, contentType: string): Promise<void> => {
    await client.putObject(bucket, key, content, content.length, { 'Content-Type': contentType })
  }
  const ready = async (): Promise<void> => {
    if (!(await guard('HeadBucket', client.bucketExists(bucket))))
      throw new Error(`there is no bucket ${bucket}`)
  }
  await ready()
  return {
    ready,
    put: (key, content, { contentType }) =>
      guard(
        'PutObject',
        Buffer.isBuffer(content)
          ? putWhole(key, content, contentType)
          : putStream(bare, key, content, contentType, (whole) => putWhole(key, whole, contentType)),
      ),
    get: (key, range) =>
      unlessAbsent(
        guard,
        'GetObject',
        range === undefined
          ? client.getObject(bucket, key)
          : client.getPartialObject(bucket, key, range.offset, range.length),
      ),
    async facts(key) {
      const found = await unlessAbsent(guard, 'HeadObject', client.statObject(bucket, key))
      if (found === undefined) return undefined
      const contentType = found.metaData['content-type'] ?? 'application/octet-stream'
      return { size: found.size, contentType, etag: found.etag }
    },
    async delete(keys) {
      for (let start = 0; start < keys.length; start += deleteLimit) {
        await guard('DeleteObjects', client.removeObjects(bucket, keys.slice(start, start + deleteLimit)))
      }
    },
    parts,
    async *list(prefix) {
      for await (const item of client.listObjectsV2(bucket, prefix, true))
        yield (item as { name: string }).name
    },
  }
}
