import { EngineUnavailableError } from '@parley/contracts'
import { type Connections, openConnections, type SnapshotSql, type Sql } from './connection.ts'
import type { StatementWatch } from './failing-well.ts'
import { isWorthRepeating, typed } from './postgres-errors.ts'
import { maxAttempts, pauseAfter } from './repeating.ts'
import type { Snapshot } from './snapshot.ts'
import { runSnapshot, runTransaction, type Transaction } from './transaction.ts'

/**
 * One service's database. Whatever asks it fails with EngineUnavailableError (engine `postgres`) when the server is
 * away, refuses work, or does not answer, and within seconds: nothing hangs on a server that is gone.
 */
export interface Database {
  /** Single statements, each a transaction of its own, which runs again after a deadlock as `transaction` does. */
  readonly sql: Sql
  /**
   * Runs `work` in a READ COMMITTED transaction, and again (up to five times) after a deadlock or a serialization
   * failure: so it must have no effect outside of the database. What it announces commits with it, or not at all. Not
   * within another transaction or snapshot: enough of those at once wait for each other's connections until they fail.
   *
   * @throws EngineUnavailableError also when the connection was lost during COMMIT: it may have committed then; and when
   *   it has met others each time.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Reads in one REPEATABLE READ, READ ONLY transaction, and says which moment that was. Not within another, either. */
  snapshot<T>(work: (sql: SnapshotSql, snapshot: Snapshot) => Promise<T>): Promise<T>
  /** Turns the driver's errors of an engine at fault into EngineUnavailableError, for queries that are not of `sql`. */
  guard<T>(query: PromiseLike<T>): Promise<T>
  /** To be called after a statement that wrote outbox rows by itself: wakes the relay. */
  committed(): void
  /** The listener is called after each commit that announced something. Returns what ends that. */
  onCommit(listener: () => void): () => void
  /**
   * A connection of its own, opened with the first query and again after a loss, for session locks and LISTEN. The
   * caller ends it. Its statements may wait for as long as they like, or at most `statementMilliseconds`.
   */
  dedicated(options?: { statementMilliseconds?: number }): Sql
  /**
   * Single statements on one connection beside the pool, which closes with it: for whoever has one under way at a time,
   * over and over. What the session made ready for a statement serves the next one; of a pool each session makes it ready
   * for itself, and has lost it from the processor's caches until its turn comes again.
   */
  single(): Sql
  /** Resolves when Postgres answers. */
  ready(): Promise<void>
  close(): Promise<void>
}

interface Log {
  warn(details: object, message: string): void
}

/** The W3C trace context of the code that is running, for the outbox row; undefined when nothing is traced. */
export type TraceparentSource = () => string | undefined

/**
 * Opens a service's database. `poolSize` bounds the connections of this process, besides dedicated ones;
 * `statementMilliseconds` is how long the server works on one statement before it gives up.
 *
 * @throws EngineUnavailableError when Postgres does not answer.
 */
export const openDatabase = async (options: {
  url: string
  service: string
  poolSize?: number
  statementMilliseconds?: number
  log?: Log
  traceparent?: TraceparentSource
  watch?: StatementWatch
}): Promise<Database> => {
  const { url, service, poolSize = 10, statementMilliseconds = 10_000, log } = options
  const pooled = { url, service, statementMilliseconds, watch: options.watch }
  const connections = openConnections({ ...pooled, max: poolSize })
  const singles: Connections[] = []
  const listeners = new Set<() => void>()
  const committed = (): void => {
    for (const listener of listeners) listener()
  }
  const tidyUp = (actions: readonly (() => void)[]): void => {
    for (const action of actions) {
      try {
        action()
      } catch (error) {
        log?.warn({ err: error }, 'an action after a commit failed')
      }
    }
  }

  const database: Database = {
    sql: connections.sql,
    committed,
    async transaction(work) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          const done = await runTransaction(connections, options.traceparent ?? (() => undefined), work)
          if (done.hasAnnounced) committed()
          tidyUp(done.actions)
          return done.result
        } catch (error) {
          if (!isWorthRepeating(error)) throw error
          if (attempts >= maxAttempts) throw new EngineUnavailableError('postgres', { cause: error })
          log?.warn({ err: error, attempts }, 'transaction runs again')
          await new Promise((resolve) => setTimeout(resolve, pauseAfter(attempts)))
        }
      }
    },
    snapshot: (work) => runSnapshot(connections, work),
    async guard(query) {
      try {
        return await query
      } catch (error) {
        throw typed(error)
      }
    },
    onCommit: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    dedicated: ({ statementMilliseconds = 0 } = {}) =>
      openConnections({ url, service, max: 1, statementMilliseconds, isLasting: true, elder: connections })
        .sql,
    single: () => {
      const single = openConnections({ ...pooled, max: 1, elder: connections })
      singles.push(single)
      return single.sql
    },
    ready: () => connections.sql`SELECT 1`.then(() => undefined),
    close: async () => {
      await Promise.all([connections, ...singles].map(({ bare }) => bare.end({ timeout: 2 })))
    },
  }
  try {
    await database.ready()
  } catch (error) {
    await connections.bare.end({ timeout: 2 })
    throw error
  }
  return database
}
