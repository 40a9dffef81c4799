import { createHash } from 'node:crypto'
import { type ArchiveScope, type IdRange, type PartSummary, pieceBytes } from '@parley/contracts/realm-data'
import type { Database } from '@parley/db'
import { conditions, type HeldFile, type Holdings, type Row, type TableHolding } from './holdings.ts'
import { tarHeader, tarPadding } from './tar.ts'

/** Rows that are in memory at a time, at most. */
const rowsAtOnce = 500

/** Entries whose checksums are told together. */
const checksumsAtOnce = 5000

const entry = (name: string, content: Buffer): Buffer =>
  Buffer.concat([tarHeader(name, content.length), content, tarPadding(content.length)])

/** Checksums of the entries before, in an entry of their own: `{"entry": ..., "size": ..., "sha256": ...}` per line. */
class Checksums {
  readonly #service: string
  #lines: string[] = []
  #pieces = 0
  constructor(service: string) {
    this.#service = service
  }

  add(name: string, size: number, sha256: string): void {
    this.#lines.push(`${JSON.stringify({ entry: name, size, sha256 })}\n`)
  }

  /** Nothing while there are few, unless these are the last. */
  *told(areLast = false): Generator<Buffer> {
    if (this.#lines.length === 0 || (!areLast && this.#lines.length < checksumsAtOnce)) return
    this.#pieces += 1
    const name = `${this.#service}/checksums/${String(this.#pieces).padStart(6, '0')}.jsonl`
    yield entry(name, Buffer.from(this.#lines.join('')))
    this.#lines = []
  }
}

async function* fileEntry(
  service: string,
  { entry: file, size, read }: HeldFile,
  checksums: Checksums,
): AsyncGenerator<Buffer> {
  const name = `${service}/${file}`
  const hash = createHash('sha256')
  yield tarHeader(name, size)
  let sent = 0
  for await (const chunk of await read()) {
    sent += chunk.length
    hash.update(chunk)
    yield Buffer.from(chunk)
  }
  if (sent !== size) throw new Error(`${name} has ${sent} bytes, not ${size}`)
  yield tarPadding(size)
  checksums.add(name, size, hash.digest('hex'))
}

/** The rows of a table as an archive has them, without what is secret. */
const query = (holdings: Holdings<never>, holding: TableHolding<never>, scope: ArchiveScope): string => {
  const { table, key, order, secret = [], veiled = {} } = holding
  const hidden = scope.export_type === 'full_without_consent' ? [] : Object.entries(veiled)
  const without = secret.map((column) => ` - '${column}'`).join('')
  const instead = hidden.map(([column, value]) => `'${column}', ${value}`).join(', ')
  const row = `to_jsonb(t)${without}${instead === '' ? '' : ` || jsonb_build_object(${instead})`}`
  const condition = conditions(holdings).inArchive(holding, scope.export_type)
  // Named, so that the second parameter always has a type.
  return `SELECT ${row} AS row FROM ${table} AS t WHERE ${condition} AND $2::bigint[] IS NOT NULL
    ORDER BY ${order ?? key.map((column) => `t.${column}`).join(', ')}`
}

/** One step ahead of the reader, in the transaction of the snapshot: what it yields is taken before it goes on. */
async function* written<Deps>(
  parts: { database: Database; holdings: Holdings<Deps>; deps: Deps },
  realmId: number,
  scope: ArchiveScope,
  give: { rows: (text: string, values: unknown[]) => AsyncIterable<{ row: Row }[]> },
): AsyncGenerator<Buffer> {
  const { holdings, deps } = parts
  const { service } = holdings
  const summary = { rows: {} as Record<string, number>, files: 0, bytes: 0 }
  const ids: Record<string, IdRange> = {}
  const checksums = new Checksums(service)
  for (const holding of holdings.tables) {
    if (holding.archived === 'never') continue
    const { table, gives = [] } = holding
    let piece: string[] = []
    let bytes = 0
    let pieces = 0
    const flush = (): Buffer => {
      pieces += 1
      const name = `${service}/${table}/${String(pieces).padStart(6, '0')}.jsonl`
      const content = Buffer.from(piece.join(''))
      piece = []
      bytes = 0
      checksums.add(name, content.length, createHash('sha256').update(content).digest('hex'))
      return entry(name, content)
    }
    summary.rows[table] = 0
    const text = query(holdings as Holdings<never>, holding as TableHolding<never>, scope)
    for await (const found of give.rows(text, [realmId, scope.consenting])) {
      const all = found.map(({ row }) => row)
      const rows = holding.narrow === undefined ? all : await holding.narrow(all, realmId, scope, deps)
      summary.rows[table] += rows.length
      for (const row of rows) {
        for (const { kind, column } of gives) {
          const id = row[column] as number
          const range = ids[kind]
          ids[kind] = { least: Math.min(range?.least ?? id, id), most: Math.max(range?.most ?? id, id) }
        }
        const line = `${JSON.stringify(row)}\n`
        piece.push(line)
        bytes += line.length
        if (bytes >= pieceBytes) yield flush()
      }
      const files = holding.files === undefined ? [] : await holding.files(rows, deps)
      // Rows come before the files that they stand for.
      if (files.length > 0 && piece.length > 0) yield flush()
      for (const file of files) {
        summary.files += 1
        summary.bytes += file.size
        yield* fileEntry(service, file, checksums)
        yield* checksums.told()
      }
    }
    if (piece.length > 0) yield flush()
    yield* checksums.told()
  }
  yield* checksums.told(true)
  const part: PartSummary = { service, ...summary, ids }
  yield entry(`${service}/part.json`, Buffer.from(`${JSON.stringify(part)}\n`))
}

/**
 * A service's part of an archive, as `readRealm` promises it. Everything is read in one snapshot of the database, which
 * is held until the reader has all of it, or goes away. In memory are some rows and one piece.
 */
export async function* readHoldings<Deps>(
  parts: { database: Database; holdings: Holdings<Deps>; deps: Deps },
  realmId: number,
  scope: ArchiveScope,
): AsyncGenerator<Buffer> {
  // The reader's pace is told to the transaction: a chunk is handed over, and the next made when it was taken.
  let hand: PromiseWithResolvers<Buffer | undefined> = Promise.withResolvers()
  let wanted: PromiseWithResolvers<boolean> = Promise.withResolvers()
  const work = parts.database
    .snapshot(async (sql) => {
      // Slow readers are the rule here.
      await sql.unsafe(
        `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '2h'`,
      )
      const rows = (text: string, values: unknown[]) =>
        sql.unsafe(text, values as never[]).cursor(rowsAtOnce) as unknown as AsyncIterable<{ row: Row }[]>
      for await (const chunk of written(parts, realmId, scope, { rows })) {
        if (!(await wanted.promise)) return
        wanted = Promise.withResolvers()
        hand.resolve(chunk)
      }
      if (await wanted.promise) hand.resolve(undefined)
    })
    .catch((error) => {
      // Whoever waits learns of it; and nobody may be waiting yet.
      hand.promise.catch(() => {})
      hand.reject(error)
    })
  try {
    for (;;) {
      wanted.resolve(true)
      const chunk = await hand.promise
      if (chunk === undefined) return
      hand = Promise.withResolvers()
      yield chunk
    }
  } finally {
    wanted.resolve(false)
    await work
  }
}
