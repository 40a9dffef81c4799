import { Transform } from 'node:stream'
import { fileTooLarge } from '@parley/contracts'

const mib = 1024 * 1024

/** Lets so many MiB through, and counts; more end it with BAD_REQUEST. */
export class Measured extends Transform {
  readonly #most: number
  bytes = 0

  constructor(mebibytes: number) {
    super()
    this.#most = mebibytes
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, data?: Buffer) => void) {
    this.bytes += chunk.length
    if (this.bytes > this.#most * mib) done(fileTooLarge(this.#most))
    else done(null, chunk)
  }
}
