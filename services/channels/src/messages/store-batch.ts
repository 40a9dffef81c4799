import { inBatchSpan } from '@parley/bus'
import type { Database } from '@parley/db'
import { type OutgoingMessage, type SendOutcome, sendMessages } from './send-store.ts'

/** Stores batches, and rings the relay for what they announce. */
export const storeBatch =
  (database: Database) =>
  async (batch: readonly OutgoingMessage[]): Promise<SendOutcome[]> => {
    const outcomes = await inBatchSpan(
      'store batch',
      batch.map(({ traceparent }) => traceparent),
      () => database.guard(sendMessages(database.sql, batch)),
    )
    database.committed()
    return outcomes
  }
