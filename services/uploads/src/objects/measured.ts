import { pipeline, type Readable, Transform } from 'node:stream'
import { fileTooLarge, refuse } from '@parley/contracts'

const mib = 1024 * 1024

/** Lets so many MiB through, and counts; more end it with BAD_REQUEST. */
class Measured extends Transform {
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

/** What arrives, through `Measured`, which ends when its sender leaves. */
export const measured = (content: Readable, mebibytes: number): Measured => {
  const through = new Measured(mebibytes)
  pipeline(content, through, () => {})
  return through
}

/** What a reader of `measured` met, as it is answered: who left, or sent less than was said, made a malformed request. */
export const findingOf = (error: unknown): unknown =>
  (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE'
    ? refuse('BAD_REQUEST', 'The request is malformed.')
    : error
