import { setImmediate as immediately } from 'node:timers/promises'
import { inBatchSpan, type LoanDesk } from '@parley/bus'
import { EngineUnavailableError } from '@parley/contracts'
import type { Database } from '@parley/db'
import { type OutgoingMessage, type SendOutcome, sendMessages } from './send-store.ts'

/**
 * Stores batches, and rings the relay for what they announce. What is sent alone is entered into the account of an idle
 * relay by the statement that stores it; a stream goes in fuller batches when the relay fetches it.
 */
export const storeBatch = (
  database: Database,
  loans: LoanDesk,
): ((batch: readonly OutgoingMessage[]) => Promise<SendOutcome[]>) => {
  const sql = database.single()
  return async (batch) => {
    const loan = batch.length === 1 ? loans.borrow() : undefined
    try {
      const { outcomes, entered } = await inBatchSpan(
        'store batch',
        batch.map(({ traceparent }) => traceparent),
        () => database.guard(sendMessages(sql, batch, loan?.account)),
      )
      loan?.giveBack(entered ?? [])
      if (entered === null) database.committed()
      // The relay, which has just been rung, hands the announcement to Kafka first: more people wait for that.
      else await immediately()
      return outcomes
    } catch (error) {
      // The server's refusal undoes the statement; of one that was not answered nobody knows.
      loan?.giveBack(error instanceof EngineUnavailableError ? 'unknown' : [])
      throw error
    }
  }
}
