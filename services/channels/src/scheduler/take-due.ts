import { EngineUnavailableError } from '@parley/contracts'
import type { Database } from '@parley/db'
import { inTransaction, type Tx } from '@parley/kit'
import type { Queries } from '../room.ts'
import { dueLateness, dueOutcomes } from './due-metrics.ts'

interface Due {
  readonly id: number
  /** Seconds since it was due. */
  readonly late_seconds: number
}

/**
 * Does one thing that is due, in the transaction that claims it: it is done, and its row is gone, or neither. A process
 * that dies takes its claim with it. What fails unforeseen is put off, so that it holds up nobody.
 *
 * @returns whether there was one.
 * @throws EngineUnavailableError
 */
export const takeDue = async <Row extends Due>(parts: {
  readonly name: string
  readonly database: Database
  readonly log: { warn(details: object, message: string): void }
  /** Locks the first that is due and that nobody else has locked. */
  readonly claim: (sql: Queries) => Promise<Row | undefined>
  /** @returns what became of it, for the metrics. */
  readonly perform: (tx: Tx, row: Row) => Promise<string>
  readonly putOff: (sql: Queries, id: number) => Promise<void>
}): Promise<boolean> => {
  const { name, database, log } = parts
  let row: Row | undefined
  try {
    const outcome = await inTransaction(database, async (tx) => {
      row = await parts.claim(tx.sql)
      return row && parts.perform(tx, row)
    })
    if (row === undefined || outcome === undefined) return false
    dueLateness.observe({ work: name }, Math.max(row.late_seconds, 0))
    dueOutcomes.inc({ work: name, outcome })
  } catch (error) {
    if (row === undefined || error instanceof EngineUnavailableError) throw error
    log.warn({ err: error, work: name, id: row.id }, 'something due is put off')
    await database.guard(parts.putOff(database.sql, row.id))
    dueOutcomes.inc({ work: name, outcome: 'put off' })
  }
  return true
}
