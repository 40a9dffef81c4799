/** Archives in the ustar format, as a stream: entries are written and read one after the other, never held. */
import { createHash } from 'node:crypto'

const block = 512

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`

/** Sizes above 8 GiB do not fit the octal digits: the high bit says that bytes follow. */
const sizeField = (size: number): Buffer => {
  if (size < 8 ** 11) return Buffer.from(octal(size, 11))
  const field = Buffer.alloc(12)
  field.writeBigUInt64BE(BigInt(size), 4)
  field[0] = 0x80
  return field
}

/** What stands before an entry's bytes. `name` has at most 100 bytes. */
export const tarHeader = (name: string, size: number): Buffer => {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for an archive`)
  const header = Buffer.alloc(block)
  header.write(name, 0)
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  sizeField(size).copy(header, 124)
  header.write(octal(0, 11), 136)
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)} `, 148)
  return header
}

/** What stands after them. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block)

/** What stands at the end of an archive. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * block)

export interface TarEntry {
  readonly name: string
  readonly size: number
  /** Where its bytes begin. */
  readonly offset: number
}

/** Thrown for bytes that are no archive, or end in the middle of one. */
export class BrokenArchiveError extends Error {}

const readHeader = (header: Buffer, offset: number): TarEntry | undefined => {
  if (header.every((byte) => byte === 0)) return undefined
  const stored = Number.parseInt(header.toString('latin1', 148, 156), 8)
  const copy = Buffer.from(header)
  copy.fill(' ', 148, 156)
  if (stored !== copy.reduce((total, byte) => total + byte, 0)) {
    throw new BrokenArchiveError(`there is no entry at byte ${offset - block}`)
  }
  const end = header.indexOf(0)
  const name = header.toString('utf8', 0, Math.min(end === -1 ? 100 : end, 100))
  const size =
    header[124] === 0x80
      ? Number(header.readBigUInt64BE(128))
      : Number.parseInt(header.toString('latin1', 124, 136), 8)
  if (!Number.isSafeInteger(size) || size < 0) throw new BrokenArchiveError(`${name} has no size`)
  return { name, size, offset }
}

/**
 * Looks at an archive as its bytes go by. Of entries that `wants` names it keeps the content, of the others only the
 * length and the checksum.
 */
export class TarReader {
  readonly #wants: (entry: TarEntry) => boolean
  readonly #onEntry: (entry: TarEntry, sha256: string, content: Buffer | undefined) => void | Promise<void>
  #head: Buffer[] = []
  #headBytes = 0
  #entry: TarEntry | undefined
  #left = 0
  #padding = 0
  #hash = createHash('sha256')
  #held: Buffer[] | undefined
  #hasEnded = false
  /** Bytes seen. */
  offset: number

  constructor(parts: {
    wants: (entry: TarEntry) => boolean
    onEntry: (entry: TarEntry, sha256: string, content: Buffer | undefined) => void | Promise<void>
    /** Where the bytes begin that it will be shown. */
    offset?: number
  }) {
    this.#wants = parts.wants
    this.#onEntry = parts.onEntry
    this.offset = parts.offset ?? 0
  }

  async take(chunk: Buffer): Promise<void> {
    let rest = chunk
    while (rest.length > 0 && !this.#hasEnded) {
      if (this.#left > 0) rest = await this.#content(rest)
      else if (this.#padding > 0) {
        const skipped = Math.min(this.#padding, rest.length)
        this.#padding -= skipped
        this.offset += skipped
        rest = rest.subarray(skipped)
      } else rest = await this.#header(rest)
    }
  }

  /** To be called after the last byte. @throws BrokenArchiveError */
  end(): void {
    if (this.#left > 0 || this.#padding > 0 || this.#headBytes > 0) {
      throw new BrokenArchiveError('the archive breaks off')
    }
  }

  async #header(chunk: Buffer): Promise<Buffer> {
    const part = chunk.subarray(0, block - this.#headBytes)
    this.#head.push(part)
    this.#headBytes += part.length
    this.offset += part.length
    if (this.#headBytes === block) {
      const entry = readHeader(Buffer.concat(this.#head), this.offset)
      this.#head = []
      this.#headBytes = 0
      if (entry === undefined) this.#hasEnded = true
      else await this.#begin(entry)
    }
    return chunk.subarray(part.length)
  }

  async #begin(entry: TarEntry): Promise<void> {
    this.#entry = entry
    this.#left = entry.size
    this.#hash = createHash('sha256')
    this.#held = this.#wants(entry) ? [] : undefined
    if (entry.size === 0) await this.#finish(entry)
  }

  async #content(chunk: Buffer): Promise<Buffer> {
    const part = chunk.subarray(0, this.#left)
    this.#hash.update(part)
    this.#held?.push(part)
    this.#left -= part.length
    this.offset += part.length
    if (this.#left === 0) await this.#finish(this.#entry!)
    return chunk.subarray(part.length)
  }

  async #finish(entry: TarEntry): Promise<void> {
    this.#padding = tarPadding(entry.size).length
    const held = this.#held
    this.#held = undefined
    await this.#onEntry(entry, this.#hash.digest('hex'), held === undefined ? undefined : Buffer.concat(held))
  }
}
