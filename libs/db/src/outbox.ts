import type { TransactionSql } from './connection.ts'

/**
 * One announcement: a row of the table `outbox`, whose layout (migrations/001_outbox.sql) is a public contract: a
 * statement may write the rows by itself, and then calls `database.committed()`.
 */
export interface OutboxRow {
  readonly topic: string
  readonly key: string
  /** JSON text of at most 4 MiB; `null` (the text) is a tombstone. */
  readonly value: string
  /** For client events: who is told (`Audience` of the contracts). */
  readonly audience?: unknown
}

/**
 * Writes announcements, in order. One statement for all: `unnest` keeps their order, and so the order of their IDs.
 * To be called last in a transaction: IDs that are drawn after the rows of the changed entities were locked have each
 * entity's commit order.
 */
export const writeOutbox = async (
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
