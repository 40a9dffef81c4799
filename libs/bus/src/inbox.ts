import type { Database, Transaction } from '@parley/db'
import { PositionMovedError } from './membership.ts'
import type { SeenSequences } from './sequence.ts'

/** How far a consumer has come with a partition, by the account of its database (table `inbox`). */
export interface StoredPosition {
  /** Undefined before anything was stored. */
  readonly nextOffset: number | undefined
  readonly seqs: SeenSequences
}

export const inboxPosition = async (
  database: Database,
  consumer: string,
  topic: string,
  partition: number,
): Promise<StoredPosition> => {
  const [row] = await database.sql<{ next_offset: number; seqs: SeenSequences }[]>`
    SELECT next_offset, seqs FROM inbox
    WHERE consumer = ${consumer} AND topic = ${topic} AND partition = ${partition}`
  return { nextOffset: row?.next_offset, seqs: row?.seqs ?? {} }
}

/**
 * Moves the position from `before` to `after`, and locks it until the transaction ends.
 *
 * @throws PositionMovedError when it is not at `before`: another process has the partition, or had it meanwhile.
 */
export const storePosition = async (
  tx: Transaction,
  { consumer, topic, partition }: { consumer: string; topic: string; partition: number },
  before: StoredPosition,
  after: StoredPosition & { nextOffset: number },
): Promise<void> => {
  const { nextOffset, seqs } = after
  const moved =
    before.nextOffset === undefined
      ? await tx.sql`
          INSERT INTO inbox (consumer, topic, partition, next_offset, seqs)
          VALUES (${consumer}, ${topic}, ${partition}, ${nextOffset}, ${tx.sql.json(seqs)})
          ON CONFLICT (consumer, topic, partition) DO NOTHING
          RETURNING partition`
      : await tx.sql`
          UPDATE inbox SET next_offset = ${nextOffset}, seqs = ${tx.sql.json(seqs)}
          WHERE consumer = ${consumer} AND topic = ${topic} AND partition = ${partition}
            AND next_offset = ${before.nextOffset}
          RETURNING partition`
  if (moved.length === 0) throw new PositionMovedError(topic, partition)
}
