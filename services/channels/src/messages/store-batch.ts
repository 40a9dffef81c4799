import type { Database } from '@parley/db'
import { type OutgoingMessage, type SendOutcome, sendMessages } from './send-store.ts'

/** Stores batches, and rings the relay for what they announce. */
export const storeBatch =
  (database: Database) =>
  async (batch: readonly OutgoingMessage[]): Promise<SendOutcome[]> => {
    const outcomes = await database.guard(sendMessages(database.sql, batch))
    database.committed()
    return outcomes
  }
