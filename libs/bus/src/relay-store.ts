import type { Sql } from '@parley/db'

/** An announcement of the batch being published. */
export interface FixedRow {
  readonly id: number
  /** Its place in the batch, from 0. */
  readonly index: number
  readonly xid: number
  readonly topic: string
  readonly key: string
  readonly value: string
  readonly audience: unknown
  readonly traceparent: string | null
  /** When it was written: milliseconds since the epoch. */
  readonly at: number
}

export interface FixedBatch {
  readonly batch: number
  readonly rows: readonly FixedRow[]
}

const maxRows = 500
/** Bytes of announcements per batch; one larger than this goes alone. */
const maxBytes = 1024 * 1024

/**
 * Batch numbers never fall behind the clock (milliseconds since 2020): a database that was restored from an older
 * backup goes on above every number that consumers have seen.
 */
const batchFloor = (): number => Date.now() - Date.UTC(2020)

/** The batch that was fixed last, as far as it is not deleted yet: to be published (again) under its number. */
export const recordedBatch = async (sql: Sql): Promise<FixedBatch> => {
  const rows = await sql<(FixedRow & { batch: number })[]>`
    SELECT batch, id, position::int - 1 AS index, xid, topic, key, value, audience, traceparent,
           (extract(epoch FROM created_at) * 1000)::bigint AS at
    FROM relay_state, unnest(ids) WITH ORDINALITY AS fixed(id, position) JOIN outbox USING (id)
    ORDER BY position`
  if (rows.length > 0) return { batch: rows[0]!.batch, rows }
  const [state] = await sql<[{ batch: number }]>`SELECT batch FROM relay_state`
  return { batch: state.batch, rows: [] }
}

/**
 * Deletes what was published and fixes the next batch, in one statement. Visible rows in the order of their IDs keep
 * each entity's commit order, because IDs are drawn after its row was locked.
 *
 * @returns undefined when another relay has fixed a batch since.
 */
export const fixNextBatch = async (
  sql: Sql,
  batch: number,
  publishedRows: readonly FixedRow[],
): Promise<FixedBatch | undefined> => {
  const done = publishedRows.map((row) => row.id)
  const rows = await sql<(FixedRow & { known: number; state: number | null })[]>`
    WITH deleted AS (
      DELETE FROM outbox WHERE id = ANY (${done}::bigint[])
    ), waiting AS (
      SELECT *, sum(octet_length(value)) OVER (ORDER BY id) - octet_length(value) AS before
      FROM (SELECT * FROM outbox WHERE id <> ALL (${done}::bigint[]) ORDER BY id LIMIT ${maxRows}) AS first
    ), next AS (
      SELECT * FROM waiting WHERE before < ${maxBytes}
    ), fixed AS (
      UPDATE relay_state SET
        batch = greatest(relay_state.batch + 1, ${batchFloor()}),
        ids = (SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM next)
      WHERE relay_state.batch = ${batch} AND (ids <> '{}' OR EXISTS (SELECT FROM next))
      RETURNING relay_state.batch
    )
    SELECT relay_state.batch AS known, fixed.batch AS state, id, row_number() OVER (ORDER BY id)::int - 1 AS index, xid, topic, key, value,
           audience, traceparent, (extract(epoch FROM created_at) * 1000)::bigint AS at
    FROM relay_state LEFT JOIN fixed ON true LEFT JOIN next ON fixed.batch IS NOT NULL
    ORDER BY id`
  const { known, state } = rows[0]!
  if (known !== batch) return undefined
  // Nothing was waiting and nothing had to be deleted: the database was not written to.
  if (state === null) return { batch, rows: [] }
  return { batch: state, rows: rows.filter((row) => row.id !== null) }
}
