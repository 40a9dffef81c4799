import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { PartBuffer, type StoredPart } from '@parley/blob'
import { dropObjects, expectObject, takeInObject } from '../objects/loose-store.ts'
import type { Deps } from '../room.ts'
import type { Held } from './hold-upload.ts'
import { type Checksum, TusRefusal } from './protocol-rules.ts'
import { addParts, type Progress, storeProgress, type UploadRow } from './upload-store.ts'

const lost = () => new TusRefusal(423, 'Another request writes to this upload.')

/**
 * Bytes on their way into one upload. Each whole part is in the store, and written down, before more is read; what comes
 * after the last one waits in memory, and becomes the tail when the request ends, however it ends. With a checksum
 * nothing is written down before it was compared.
 */
class Intake {
  readonly #deps: Deps
  readonly #held: Held
  readonly #buffer = new PartBuffer()
  readonly #isProvisional: boolean
  /** Parts that are in the store, but not written down. */
  #staged: StoredPart[] = []
  #upload: UploadRow
  #storeUpload: string | null
  #nextPart: number
  bytes: number

  constructor(deps: Deps, held: Held, isProvisional: boolean) {
    this.#deps = deps
    this.#held = held
    this.#isProvisional = isProvisional
    this.#upload = held.upload
    this.#storeUpload = held.upload.store_upload
    this.#nextPart = held.upload.next_part
    this.bytes = held.upload.bytes
  }

  /** Begins with what came after the last whole part. */
  async recall(): Promise<void> {
    const { tail_key } = this.#upload
    if (tail_key === null) return
    const stream = await this.#deps.store.get(tail_key)
    if (stream === undefined) throw new Error(`the tail ${tail_key} is gone`)
    for await (const chunk of stream as AsyncIterable<Buffer>) this.#buffer.add(chunk)
  }

  async take(chunk: Buffer): Promise<void> {
    let rest = chunk
    while (rest.length > 0) {
      const left = this.#buffer.add(rest)
      this.bytes += rest.length - left.length
      rest = left
      if (this.#buffer.isFull) await this.#putPart()
    }
  }

  /** Writes down what came, and keeps the tail: from here the upload can go on in any process. */
  async save(): Promise<UploadRow> {
    const { content, size } = this.#buffer
    if (this.bytes === this.#upload.bytes && this.#staged.length === 0) return this.#upload
    if (size === 0) return this.#commit({ tail_key: null, tail_size: 0 })
    const key = `tails/${randomBytes(18).toString('base64url')}`
    await expectObject(this.#deps.database.sql, key)
    await this.#deps.store.put(key, content, { contentType: 'application/octet-stream' })
    return this.#commit({ tail_key: key, tail_size: size })
  }

  /**
   * Makes all that came the object: at once when it is less than a part. @returns the upload, with its parts written
   * down.
   */
  async close(): Promise<UploadRow> {
    if (this.#storeUpload === null) {
      const { object_key, content_type } = this.#upload
      await this.#deps.store.put(object_key, this.#buffer.content, { contentType: content_type })
      return this.#upload
    }
    if (this.#buffer.size > 0) await this.#putPart()
    return this.#staged.length > 0 ? this.#commit({ tail_key: null, tail_size: 0 }) : this.#upload
  }

  /** Gives up what was begun in the store, and not written down: nobody would ever find it. */
  async forget(): Promise<void> {
    const { object_key, store_upload } = this.#upload
    if (this.#storeUpload === null || this.#storeUpload === store_upload) return
    await this.#deps.store.parts.abort(object_key, this.#storeUpload).catch((error) => {
      this.#deps.log.warn({ err: error, key: object_key }, 'an upload stays in the store')
    })
  }

  async #putPart(): Promise<void> {
    const { store } = this.#deps
    const { object_key, content_type } = this.#upload
    this.#storeUpload ??= await store.parts.begin(object_key, { contentType: content_type })
    const number = this.#nextPart
    const etag = await store.parts.put(object_key, this.#storeUpload, number, this.#buffer.content)
    this.#staged.push({ number, etag })
    this.#nextPart += 1
    this.#buffer.clear()
    if (!this.#isProvisional) await this.#commit({ tail_key: null, tail_size: 0 })
  }

  async #commit(tail: Required<Pick<Progress, 'tail_key' | 'tail_size'>>): Promise<UploadRow> {
    const { id } = this.#upload
    const before = this.#upload.tail_key
    const stored = await this.#deps.database.transaction(async ({ sql }) => {
      const row = await storeProgress(sql, id, this.#held.holder, {
        ...tail,
        bytes: this.bytes,
        store_upload: this.#storeUpload,
        next_part: this.#nextPart,
      })
      if (row === undefined) return undefined
      if (this.#staged.length > 0) await addParts(sql, id, this.#staged)
      if (before !== null) await dropObjects(sql, [before])
      if (tail.tail_key !== null) await takeInObject(sql, tail.tail_key)
      return row
    })
    if (stored === undefined) throw lost()
    this.#staged = []
    this.#upload = stored
    return stored
  }
}

/** How a request's bytes ended: at the end of the file (`upload` holds all, as an object to be completed), or before. */
export interface Received {
  readonly upload: UploadRow
  readonly isWhole: boolean
}

/**
 * Takes in a piece of an upload, at the pace of the store. What came of a piece that breaks off is kept, unless it has a
 * checksum.
 *
 * @throws TusRefusal 413 for more than the upload is long, 460 for another checksum, 423 when the upload was lost, or
 * another request waits; EngineUnavailableError; whatever the body ends with.
 */
export const receiveBytes = async (
  deps: Deps,
  held: Held,
  body: Readable,
  { checksum, most }: { checksum: Checksum | undefined; most: number },
): Promise<Received> => {
  const { length } = held.upload
  const end = length ?? most
  const intake = new Intake(deps, held, checksum !== undefined)
  await intake.recall()
  const stop = (): void => void body.destroy(lost())
  held.wanted.addEventListener('abort', stop)
  try {
    // The sender is to get an answer, also to what was not read.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (intake.bytes + chunk.length > end)
        throw new TusRefusal(413, 'This is more than the upload is long.')
      checksum?.hash.update(chunk)
      await intake.take(chunk)
    }
  } catch (error) {
    body.resume()
    // "The Server SHOULD always attempt to store as much of the received data as possible."
    if (checksum === undefined) await saveUnlessLost(intake)
    await intake.forget()
    throw error
  } finally {
    held.wanted.removeEventListener('abort', stop)
  }
  // "The Server MUST verify the checksum; 460 Checksum Mismatch, the chunk MUST be discarded, the offset not updated."
  if (checksum !== undefined && !checksum.hash.digest().equals(checksum.expected)) {
    await intake.forget()
    throw new TusRefusal(460, 'Checksum mismatch')
  }
  const isWhole = intake.bytes === length
  return { upload: isWhole ? await intake.close() : await intake.save(), isWhole }
}

/** The error that ended the request is the one to tell. */
const saveUnlessLost = async (intake: Intake): Promise<void> => {
  await intake.save().catch(() => {})
}
