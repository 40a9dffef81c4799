import type { Connections, SnapshotSql, TransactionSql } from './connection.ts'
import { type Care, failingWell, type Lifeline, within } from './failing-well.ts'
import { type OutboxRow, writeOutbox } from './outbox.ts'
import { isDropped, typed } from './postgres-errors.ts'
import { parseSnapshot, type Snapshot } from './snapshot.ts'

export interface Transaction {
  readonly sql: TransactionSql
  /** Announces in this transaction. The rows are written by one statement right before COMMIT. */
  enqueue(row: OutboxRow): void
  /** Runs once the transaction is durable, not when it fails. */
  afterCommit(action: () => void): void
}

/** What a transaction that committed leaves to be done. */
export interface Committed<T> {
  readonly result: T
  readonly hasAnnounced: boolean
  readonly actions: readonly (() => void)[]
}

/** One attempt at a READ COMMITTED transaction with its announcements. */
export const runTransaction = async <T>(
  connections: Connections,
  traceparent: () => string | undefined,
  work: (tx: Transaction) => Promise<T>,
): Promise<Committed<T>> => {
  const rows: OutboxRow[] = []
  const actions: (() => void)[] = []
  const result = await begin(connections, '', async (sql) => {
    const value = await work({
      sql,
      enqueue: (row) => void rows.push(row),
      afterCommit: (action) => void actions.push(action),
    })
    if (rows.length > 0) await writeOutbox(sql, rows, traceparent())
    return value
  })
  return { result, hasAnnounced: rows.length > 0, actions }
}

/** Reads in one moment of the database, and says which. */
export const runSnapshot = <T>(
  connections: Connections,
  work: (sql: SnapshotSql, snapshot: Snapshot) => Promise<T>,
): Promise<T> =>
  begin(connections, 'ISOLATION LEVEL REPEATABLE READ READ ONLY', async (sql) => {
    const [row] = await sql<[{ snapshot: string }]>`SELECT pg_current_snapshot()::text AS snapshot`
    return work(sql, parseSnapshot(row.snapshot))
  })

/** A transaction of the driver's, with what it lacks; begun a second time when the first connection was a dead one. */
const begin = async <T>(
  connections: Connections,
  mode: string,
  work: (sql: TransactionSql) => Promise<T>,
): Promise<T> => {
  const progress = { hasBegun: false }
  try {
    return await beginOnce(connections, mode, work, progress)
  } catch (error) {
    if (progress.hasBegun || !isDropped((error as Error).cause)) throw error
    return beginOnce(connections, mode, work, progress)
  }
}

/**
 * BEGIN, COMMIT and ROLLBACK are the driver's own queries, so their deadlines are kept here. And the driver (3.4.9,
 * porsager/postgres#1208) answers a failure by a ROLLBACK even when the connection is gone, which throws where nobody
 * can catch it and ends the process: after a loss, it is not told that the work ended.
 */
const beginOnce = async <T>(
  { bare, care, transactions }: Connections,
  mode: string,
  work: (sql: TransactionSql) => Promise<T>,
  progress: { hasBegun: boolean },
): Promise<T> => {
  const place = transactions.take()
  const lifeline: Lifeline = { cut: undefined }
  const begun = Promise.withResolvers<void>()
  const worked = Promise.withResolvers<void>()
  let failure: { error: unknown } | undefined
  const inDriver = async () => {
    await place.taken
    if (lifeline.cut !== undefined) throw lifeline.cut
    return bare.begin(mode, async (sql) => {
      if (lifeline.cut !== undefined) throw lifeline.cut
      progress.hasBegun = true
      begun.resolve()
      try {
        return { value: await work(failingWell(sql, care, lifeline)) }
      } catch (error) {
        failure = { error }
        throw error
      } finally {
        worked.resolve()
        if (lifeline.cut !== undefined) await new Promise(() => {})
      }
    })
  }
  const outcome = inDriver().catch((error: unknown) => {
    lifeline.cut ??= typed(error)
    throw error
  })
  try {
    await watched(care, 'BEGIN', Promise.race([begun.promise, outcome]))
    await Promise.race([worked.promise, outcome])
    const { value } = (await watched(care, 'COMMIT', outcome)) as { value: T }
    lifeline.cut = new Error('the transaction is over')
    return value
  } catch (error) {
    lifeline.cut ??= typed(error)
    outcome.catch(() => {})
    // A rollback that finds no connection says less than the reason for it.
    throw typed(failure === undefined ? error : failure.error)
  } finally {
    place.leave()
  }
}

const watched = async <T>(care: Care, name: string, work: Promise<T>): Promise<T> => {
  const end = care.watch(() => name)
  try {
    const value = await within(care, work)
    end()
    return value
  } catch (error) {
    end(error)
    throw error
  }
}
