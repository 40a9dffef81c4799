import type { Sql } from '@parley/db'
import { sequenceFloor } from './sequence.ts'

/** An announcement with the number under which it is published, now or by a successor. */
export interface NumberedRow {
  readonly id: number
  readonly seq: number
  readonly xid: number
  readonly topic: string
  readonly key: string
  readonly value: string
  readonly audience: unknown
  readonly traceparent: string | null
  /** When it was written: milliseconds since the epoch. */
  readonly at: number
}

export interface Batch {
  readonly rows: readonly NumberedRow[]
  /** How many entries of the account it is; more than `rows` when some are known to be published. */
  readonly entries: number
}

/** The account's state, as far as it tells one from another. */
export interface Account {
  readonly firstSeq: number
  /** Of its entries. */
  readonly size: number
}

/**
 * The relay's account of what it publishes, in the database (table `relay_state`): the announcements that are numbered
 * and perhaps published. Only whoever knows the account's last state can change it, so of two relays that both believe
 * to be the active one, one is told that it is not.
 */
export interface RelayLedger {
  /** What a predecessor may or may not have published: to be published again, under the same numbers. */
  recorded(): Promise<Batch>
  /**
   * In one statement: forgets the first `published` entries, and takes in announcements that wait, as many as make a
   * batch. Visible rows in the order of their IDs keep each entity's commit order, because IDs are drawn after its row
   * was locked.
   *
   * @throws LeadershipLostError when another relay has changed the account, or the session is not the one of `open`.
   */
  advance(published: number): Promise<Batch & { readonly hasMore: boolean }>
  /** The state that a borrower has to find; undefined while its numbers may be older than a backup that was restored. */
  account(): Account | undefined
  /** Takes note of what a borrower entered: a batch like those of `advance`. */
  entered(rows: readonly Omit<NumberedRow, 'seq'>[]): Batch
  /** @throws LeadershipLostError when the session, and with it the lock, was lost. */
  confirm(): Promise<void>
}

/** Another relay is the active one, or may be. */
export class LeadershipLostError extends Error {
  constructor() {
    super('another relay is the active one')
    this.name = 'LeadershipLostError'
  }
}

const maxRows = 500
/** Bytes of announcements per batch; one larger than this goes alone. */
const maxBytes = 1024 * 1024

/** `backend` is the server's process that holds the relay's lock: after a reconnection it is another one. */
export const openLedger = (sql: Sql, backend: number): RelayLedger => {
  let firstSeq = 0
  let ids: readonly number[] = []
  /** Since a number was drawn from the clock (`sequenceFloor`). */
  let isOfToday = false
  return {
    async recorded() {
      const [state] = await sql<
        [{ first_seq: number; ids: number[] }]
      >`SELECT first_seq, ids FROM relay_state`
      firstSeq = state.first_seq
      ids = state.ids
      const rows = await sql<NumberedRow[]>`
        SELECT ${firstSeq}::bigint + position - 1 AS seq, id, xid, topic, key, value, audience, traceparent,
               (date_part('epoch', created_at) * 1000)::bigint AS at
        FROM unnest(${ids}::bigint[]) WITH ORDINALITY AS recorded (id, position) JOIN outbox USING (id)
        ORDER BY position`
      return { rows, entries: ids.length }
    },

    async advance(published) {
      const forgotten = ids.slice(0, published)
      const kept = ids.slice(published)
      const continued = firstSeq + published
      // An entry's number follows from its place, so only an empty account can jump to higher numbers.
      const first = kept.length === 0 ? Math.max(continued, sequenceFloor()) : continued
      const answer = await sql<(NumberedRow & { is_changed: boolean; is_ours: boolean; waiting: number })[]>`
        WITH forgotten AS (
          DELETE FROM outbox WHERE id = ANY (${forgotten}::bigint[])
        ), waiting AS (
          SELECT *, row_number() OVER (ORDER BY id) AS position,
                 sum(octet_length(value)) OVER (ORDER BY id) - octet_length(value) AS bytes_before
          FROM (
            SELECT * FROM outbox
            WHERE NOT EXISTS (SELECT FROM unnest(${ids}::bigint[]) AS recorded (id) WHERE recorded.id = outbox.id)
            ORDER BY id LIMIT ${maxRows}
          ) AS oldest
        ), batch AS (
          SELECT * FROM waiting WHERE bytes_before < ${maxBytes}
        ), changed AS (
          UPDATE relay_state
          SET first_seq = ${first},
              ids = ${kept}::bigint[] || (SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM batch)
          WHERE first_seq = ${firstSeq} AND cardinality(ids) = ${ids.length} AND pg_backend_pid() = ${backend}
            AND (${published} > 0 OR EXISTS (SELECT FROM batch))
          RETURNING true AS is_changed
        )
        SELECT coalesce(is_changed, false) AS is_changed,
               first_seq = ${firstSeq} AND cardinality(ids) = ${ids.length} AND pg_backend_pid() = ${backend} AS is_ours,
               (SELECT count(*) FROM waiting) AS waiting,
               ${first + kept.length}::bigint + position - 1 AS seq, id, xid, topic, key, value, audience, traceparent,
               (date_part('epoch', created_at) * 1000)::bigint AS at
        FROM relay_state LEFT JOIN changed ON true LEFT JOIN batch ON true
        ORDER BY id`
      const { is_changed: isChanged, is_ours: isOurs, waiting } = answer[0]!
      const rows = answer.filter(({ id }) => id !== null)
      const hadToChange = published > 0 || rows.length > 0
      if (hadToChange ? !isChanged : !isOurs) throw new LeadershipLostError()
      if (hadToChange) {
        firstSeq = first
        isOfToday ||= kept.length === 0
        ids = [...kept, ...rows.map(({ id }) => id)]
      }
      return { rows, entries: rows.length, hasMore: waiting > rows.length || waiting === maxRows }
    },

    account: () => (isOfToday ? { firstSeq, size: ids.length } : undefined),

    entered(rows) {
      const first = firstSeq + ids.length
      ids = [...ids, ...rows.map(({ id }) => id)]
      return { rows: rows.map((row, place) => ({ ...row, seq: first + place })), entries: rows.length }
    },

    async confirm() {
      const [session] = await sql<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`
      if (session.pid !== backend) throw new LeadershipLostError()
    },
  }
}
