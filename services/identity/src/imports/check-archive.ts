import { ArchiveManifest } from '@parley/contracts/realm-data'
import { BrokenArchiveError, type TarEntry, TarReader } from '@parley/kit/tar'

interface Checksum {
  readonly entry: string
  readonly size: number
  readonly sha256: string
}

/** Entries that tell of others, by the last part of their folder or their name. */
const isChecksums = (name: string): boolean => /^[a-z-]+\/checksums\/\d{6}\.jsonl$/.test(name)
const isSummary = (name: string): boolean => /^[a-z-]+\/part\.json$/.test(name)

export const linesOf = (content: Buffer): unknown[] =>
  content
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Looks at an archive from its beginning to its end: whether it is one, and whole. Sums are held until they are told. */
export class ArchiveCheck {
  readonly #sums = new Map<string, { size: number; sha256: string }>()
  #entries = 0
  #manifest: ArchiveManifest | undefined
  readonly reader = new TarReader({
    wants: ({ name, size }) =>
      size < 64 * 1024 * 1024 && (isChecksums(name) || isSummary(name) || name === 'manifest.json'),
    onEntry: (entry, sha256, content) => this.#take(entry, sha256, content),
  })

  #take({ name, size }: TarEntry, sha256: string, content: Buffer | undefined): void {
    if (name === 'manifest.json' && content !== undefined) {
      const read = ArchiveManifest.safeParse(JSON.parse(content.toString()))
      if (!read.success) throw new BrokenArchiveError('this is no archive that this version knows')
      this.#manifest = read.data
      return
    }
    this.#entries += 1
    if (content === undefined) this.#sums.set(name, { size, sha256 })
    else if (isChecksums(name)) for (const line of linesOf(content)) this.#compare(line as Checksum)
  }

  #compare({ entry, size, sha256 }: Checksum): void {
    const found = this.#sums.get(entry)
    if (found?.size !== size || found.sha256 !== sha256) {
      throw new BrokenArchiveError(`${entry} is not as it was when it was written`)
    }
    this.#sums.delete(entry)
  }

  /** @throws BrokenArchiveError when something is missing, or was never told of. */
  end(): ArchiveManifest {
    this.reader.end()
    if (this.#manifest === undefined) throw new BrokenArchiveError('the archive has no manifest')
    if (this.#manifest.entries !== this.#entries) {
      throw new BrokenArchiveError(`the archive has ${this.#entries} entries, not ${this.#manifest.entries}`)
    }
    const [untold] = this.#sums.keys()
    if (untold !== undefined) throw new BrokenArchiveError(`nobody tells of ${untold}`)
    return this.#manifest
  }
}
