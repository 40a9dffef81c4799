import { EngineUnavailableError } from '@parley/contracts'
import postgres from 'postgres'
import { isAway, isWorthRepeating } from './postgres-errors.ts'
import { parseSnapshot, type Snapshot } from './snapshot.ts'

/** Types added to the driver's own: IDs and transaction IDs are numbers (they fit 2^53). */
interface Types extends Record<string, postgres.PostgresType> {
  bigint: postgres.PostgresType<number>
  xid8: postgres.PostgresType<number>
}
type ParsedTypes = { bigint: number; xid8: number }

export type Sql = postgres.Sql<ParsedTypes>
export type TransactionSql = postgres.TransactionSql<ParsedTypes>
/** The queries of a read-only snapshot. */
export type SnapshotSql = TransactionSql

/** One announcement; see migrations/001_outbox.sql. */
export interface OutboxRow {
  readonly topic: string
  readonly key: string
  /** JSON text; `null` (the text) is a tombstone. */
  readonly value: string
  /** For client events: who is told (`Audience` of the contracts). */
  readonly audience?: unknown
}

export interface Transaction {
  readonly sql: TransactionSql
  /** Announces in this transaction. The rows are written by one statement right before COMMIT. */
  enqueue(row: OutboxRow): void
  /** Runs once the transaction is durable, not when it fails. */
  afterCommit(action: () => void): void
}

export interface Database {
  /** Single statements. Errors of an unreachable server are turned by {@link Database.guard}. */
  readonly sql: Sql
  /**
   * Runs `work` in a READ COMMITTED transaction, again (up to five times) after a deadlock or a serialization failure:
   * so it must have no effect outside of the database.
   *
   * @throws EngineUnavailableError when Postgres cannot be reached.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Reads in one REPEATABLE READ, READ ONLY transaction, and says which moment that was. */
  snapshot<T>(work: (sql: SnapshotSql, snapshot: Snapshot) => Promise<T>): Promise<T>
  /** Turns the driver's errors of an unreachable server into EngineUnavailableError. */
  guard<T>(query: PromiseLike<T>): Promise<T>
  /** To be called after a statement that wrote outbox rows by itself: wakes the relay. */
  committed(): void
  /** The listener is called after each commit that announced something. */
  onCommit(listener: () => void): () => void
  /** A connection of its own that never times out, for session locks and LISTEN. The caller ends it. */
  dedicated(): Sql
  /** Resolves when Postgres answers. */
  ready(): Promise<void>
  close(): Promise<void>
}

interface Log {
  warn(details: object, message: string): void
}

const maxAttempts = 5

/** The W3C trace context of the code that is running, for the outbox row; undefined when nothing is traced. */
export type TraceparentSource = () => string | undefined

const integers = (from: number[]): postgres.PostgresType<number> => ({
  to: from[0]!,
  from,
  serialize: (value: number) => String(value),
  parse: Number as unknown as (text: string) => number,
})

const connect = (url: string, service: string, pool: { max: number; lasting: boolean }): Sql =>
  postgres<Types>(url, {
    max: pool.max,
    connect_timeout: 5,
    idle_timeout: pool.lasting ? 0 : 300,
    max_lifetime: pool.lasting ? null : 60 * 30,
    onnotice: () => {},
    connection: {
      application_name: service,
      statement_timeout: pool.lasting ? 0 : 30_000,
      idle_in_transaction_session_timeout: 30_000,
    },
    types: { bigint: integers([20]), xid8: integers([5069]) },
  }) as unknown as Sql

/** Opens a service's database. `poolSize` bounds the connections of this process, besides dedicated ones. */
export const openDatabase = async (options: {
  url: string
  service: string
  poolSize?: number
  log?: Log
  traceparent?: TraceparentSource
}): Promise<Database> => {
  const { url, service, poolSize = 10, traceparent = () => undefined } = options
  const sql = connect(url, service, { max: poolSize, lasting: false })
  const listeners = new Set<() => void>()
  const committed = (): void => {
    for (const listener of listeners) listener()
  }

  const guard = async <T>(query: PromiseLike<T>): Promise<T> => {
    try {
      return await query
    } catch (error) {
      throw isAway(error) ? new EngineUnavailableError('postgres', { cause: error }) : error
    }
  }

  const attempt = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const rows: OutboxRow[] = []
    const actions: (() => void)[] = []
    const result = await sql.begin(async (connection) => {
      const value = await work({
        sql: connection,
        enqueue: (row) => void rows.push(row),
        afterCommit: (action) => void actions.push(action),
      })
      if (rows.length > 0) await writeOutbox(connection, rows, traceparent())
      return value
    })
    for (const action of actions) action()
    if (rows.length > 0) committed()
    return result as T
  }

  const database: Database = {
    sql,
    guard,
    committed,
    async transaction(work) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await guard(attempt(work))
        } catch (error) {
          if (tries >= maxAttempts || !isWorthRepeating(error)) throw error
          options.log?.warn({ err: error, tries }, 'transaction runs again')
        }
      }
    },
    snapshot: (work) =>
      guard(
        sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (connection) => {
          const [row] = await connection<
            [{ snapshot: string }]
          >`SELECT pg_current_snapshot()::text AS snapshot`
          return work(connection, parseSnapshot(row.snapshot))
        }),
      ) as Promise<never>,
    onCommit: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    dedicated: () => connect(url, service, { max: 1, lasting: true }),
    ready: () => guard(sql`SELECT 1`.then(() => undefined)),
    close: () => sql.end({ timeout: 5 }),
  }
  await database.ready()
  return database
}

/** One statement for all rows; `unnest` keeps their order, and so the order of their IDs. */
const writeOutbox = async (
  sql: TransactionSql,
  rows: readonly OutboxRow[],
  traceparent: string | undefined,
): Promise<void> => {
  await sql`
    INSERT INTO outbox (topic, key, value, audience, traceparent)
    SELECT topic, key, value, audience::jsonb, ${traceparent ?? null}
    FROM unnest(
      ${rows.map((row) => row.topic)}::text[],
      ${rows.map((row) => row.key)}::text[],
      ${rows.map((row) => row.value)}::text[],
      ${rows.map((row) => (row.audience === undefined ? null : JSON.stringify(row.audience)))}::text[]
    ) WITH ORDINALITY AS row(topic, key, value, audience, position)
    ORDER BY position`
}
