import type { Connections, SnapshotSql, TransactionSql } from './connection.ts'
import { failingWell, type Lifeline, within } from './failing-well.ts'
import { type OutboxRow, writeOutbox } from './outbox.ts'
import { typed } from './postgres-errors.ts'
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

/** BEGIN and COMMIT (or ROLLBACK) are the driver's own queries: their deadlines are kept here. */
const begin = async <T>(
  { bare, deadline }: Connections,
  mode: string,
  work: (sql: TransactionSql) => Promise<T>,
): Promise<T> => {
  const lifeline: Lifeline = { cut: undefined }
  let begun: () => void = () => {}
  let worked: () => void = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const hasWorked = new Promise<void>((resolve) => {
    worked = resolve
  })
  let failure: { error: unknown } | undefined
  const outcome = bare
    .begin(mode, async (sql) => {
      if (lifeline.cut !== undefined) throw lifeline.cut
      begun()
      try {
        return { value: await work(failingWell(sql, deadline, lifeline)) }
      } catch (error) {
        failure = { error }
        throw error
      } finally {
        worked()
      }
    })
    .finally(() => {
      lifeline.cut ??= new Error('the transaction is over')
    })
  try {
    await within(deadline, Promise.race([hasBegun, outcome]))
    await Promise.race([hasWorked, outcome])
    return ((await within(deadline, outcome)) as { value: T }).value
  } catch (error) {
    lifeline.cut ??= new Error('the transaction is over')
    outcome.catch(() => {})
    // A rollback that finds no connection says less than the reason for it.
    throw failure === undefined ? typed(error) : typed(failure.error)
  }
}
