import type { MessageRecord } from '@parley/contracts/objects/message'
import type { DeliveryState, Trigger } from '@parley/contracts/webhook-dispatcher/deliveries'
import { failuresBeforePause } from '../receivers/receiver-health.ts'
import { type ReceiverRow, receiverColumns } from '../receivers/receiver-store.ts'
import type { Queries } from '../room.ts'
import { type Phase, replyWindow } from './delivery-schedule.ts'

/**
 * Seconds for which whoever took a delivery has it to itself: longer than an attempt (ten seconds) with all that belongs
 * to it, and short enough that what a dead process had in hand is still answered while somebody waits.
 */
const leaseSeconds = 30

export interface DeliveryRow {
  readonly id: number
  readonly public_id: string
  readonly realm_id: number
  readonly bot_id: number
  readonly message_id: number
  readonly trigger: Trigger
  readonly state: DeliveryState
  readonly failure: string | null
  readonly phase: Phase
  readonly phase_attempts: number
  readonly attempts: number
  readonly last_status: number | null
  readonly created_at: Date
  readonly due_at: Date | null
}

/** A delivery in hand, with all that an attempt needs. */
export interface Claimed {
  readonly delivery: DeliveryRow & {
    readonly message: MessageRecord
    readonly traceparent: string | null
    readonly lease: string
    /** Seconds since the message. */
    readonly age: number
  }
  readonly receiver: ReceiverRow
}

export const deliveryColumns = (sql: Queries) => sql`
  d.id, d.public_id, d.realm_id, d.bot_id, d.message_id, d.trigger, d.state, d.failure, d.phase, d.phase_attempts,
  d.attempts, d.last_status, d.created_at, d.due_at`

/** One delivery per bot and message, however often the message arrives; bots that have ended get none. */
export const insertDeliveries = async (
  sql: Queries,
  given: {
    realm_id: number
    message: MessageRecord
    trigger: Trigger
    bots: readonly number[]
    traceparent: string | undefined
  },
): Promise<void> => {
  await sql`
    INSERT INTO deliveries (realm_id, bot_id, message_id, trigger, message, traceparent)
    SELECT ${given.realm_id}, r.bot_id, ${given.message.id}, ${given.trigger},
      ${JSON.stringify(given.message)}::text::jsonb, ${given.traceparent ?? null}
    FROM receivers r
    WHERE r.bot_id = ANY (${[...given.bots]}::bigint[]) AND r.realm_id = ${given.realm_id} AND r.is_active
    ON CONFLICT (bot_id, message_id) DO NOTHING`
}

export interface ClaimWish {
  /** Only of these bots; of all when absent. */
  readonly bots?: readonly number[]
  /** Calls under way in this process, per bot. */
  readonly underWay: ReadonlyMap<number, number>
  /** Calls of one bot at a time. */
  readonly perBot: number
  readonly limit: number
  readonly lease: string
}

/**
 * Takes deliveries that are due, a few of each bot, so that no bot's backlog stands before another's. A receiver that is
 * paused gets none but those that a person asked for, and those whose sender has waited long enough to be told; one that
 * keeps failing gets one at a time.
 */
export const claimDeliveries = async (sql: Queries, wish: ClaimWish): Promise<Claimed[]> => {
  const busy = [...wish.underWay]
  const waiting =
    wish.bots === undefined
      ? sql`
        SELECT min(bot_id) FROM deliveries WHERE state = 'pending'
        UNION ALL
        SELECT (SELECT min(d.bot_id) FROM deliveries d WHERE d.state = 'pending' AND d.bot_id > w.bot_id)
        FROM waiting w WHERE w.bot_id IS NOT NULL`
      : sql`SELECT unnest(${[...wish.bots]}::bigint[])`
  const rows = await sql<(Claimed['delivery'] & ReceiverRow)[]>`
    WITH RECURSIVE waiting (bot_id) AS (${waiting}),
    chosen AS MATERIALIZED (
      SELECT found.id
      FROM waiting w
      JOIN receivers r ON r.bot_id = w.bot_id
      LEFT JOIN unnest(${busy.map(([bot]) => bot)}::bigint[], ${busy.map(([, count]) => count)}::int[])
        AS busy (bot_id, calls) ON busy.bot_id = w.bot_id
      CROSS JOIN LATERAL (
        SELECT d.id FROM deliveries d
        WHERE d.state = 'pending' AND d.bot_id = w.bot_id AND d.due_at <= clock_timestamp()
          AND (r.paused_until IS NULL OR r.paused_until <= clock_timestamp() OR r.disabled_at IS NOT NULL
            OR d.phase = 'manual'
            OR (d.phase = 'interactive' AND d.created_at < clock_timestamp() - make_interval(secs => ${replyWindow})))
        ORDER BY d.due_at
        LIMIT greatest(
          (CASE WHEN r.failures >= ${failuresBeforePause} THEN 1 ELSE ${wish.perBot}::int END)
            - coalesce(busy.calls, 0), 0)
        FOR UPDATE SKIP LOCKED
      ) found
      LIMIT ${wish.limit}
    )
    UPDATE deliveries d
    SET lease = ${wish.lease}::uuid, due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    FROM chosen, receivers r
    WHERE d.id = chosen.id AND r.bot_id = d.bot_id
    RETURNING ${deliveryColumns(sql)}, d.message, d.traceparent, d.lease,
      extract(epoch FROM clock_timestamp() - d.created_at)::float8 AS age, ${receiverColumns(sql)}`
  return rows.map((row) => ({ delivery: row, receiver: row }))
}

/** What becomes of a delivery in hand. */
export type Fate =
  | { readonly state: 'delivered' | 'withdrawn'; readonly failure: null }
  | { readonly state: 'failed'; readonly failure: string }
  | {
      readonly state: 'pending'
      readonly failure: null
      readonly phase: Phase
      readonly phaseAttempts: number
      /** Seconds from now. */
      readonly pause: number
    }

export interface AttemptRecord {
  readonly started_at: Date
  readonly duration_ms: number
  readonly url: string
  readonly status: number | null
  readonly error: string | null
  readonly response_body: string | null
}

/**
 * Writes down what became of a delivery, and the attempt if one was made.
 *
 * @returns whether it was still in these hands; nothing is written when it was not.
 */
export const storeFate = async (
  sql: Queries,
  delivery: Pick<Claimed['delivery'], 'id' | 'lease' | 'attempts'>,
  fate: Fate,
  attempt: AttemptRecord | undefined,
): Promise<boolean> => {
  const isOver = fate.state !== 'pending'
  const stored = await sql`
    UPDATE deliveries SET lease = NULL, state = ${fate.state}, failure = ${fate.failure},
      due_at = ${isOver ? null : sql`clock_timestamp() + make_interval(secs => ${fate.pause})`},
      finished_at = ${isOver ? sql`clock_timestamp()` : null},
      phase = ${isOver ? sql`phase` : fate.phase},
      phase_attempts = ${isOver ? sql`phase_attempts` : fate.phaseAttempts},
      attempts = attempts + ${attempt === undefined ? 0 : 1},
      last_status = ${attempt === undefined ? sql`last_status` : attempt.status}
    WHERE id = ${delivery.id} AND lease = ${delivery.lease}::uuid`
  if (stored.count === 0) return false
  if (attempt !== undefined) {
    await sql`
      INSERT INTO attempts (delivery_id, number, started_at, duration_ms, url, status, error, response_body)
      VALUES (${delivery.id}, ${delivery.attempts + 1}, ${attempt.started_at}, ${attempt.duration_ms},
        ${attempt.url}, ${attempt.status}, ${attempt.error}, ${attempt.response_body})`
  }
  return true
}

/** Gives a delivery back untried; it is due again after `pause` seconds. */
export const giveBack = async (
  sql: Queries,
  delivery: Pick<Claimed['delivery'], 'id' | 'lease'>,
  pause: number,
): Promise<void> => {
  await sql`
    UPDATE deliveries SET lease = NULL, due_at = clock_timestamp() + make_interval(secs => ${pause})
    WHERE id = ${delivery.id} AND lease = ${delivery.lease}::uuid AND state = 'pending'`
}

/** Makes a delivery that is over due once more. */
export const reopenDelivery = async (sql: Queries, id: number): Promise<DeliveryRow | undefined> => {
  const [row] = await sql<DeliveryRow[]>`
    UPDATE deliveries AS d SET state = 'pending', failure = NULL, phase = 'manual', phase_attempts = 0,
      due_at = clock_timestamp(), finished_at = NULL
    WHERE d.id = ${id} AND d.state <> 'pending'
    RETURNING ${deliveryColumns(sql)}`
  return row
}

/** Removes what was over long ago; returns how many were. */
export const forgetDeliveries = async (sql: Queries, days: number, limit: number): Promise<number> => {
  const gone = await sql`
    DELETE FROM deliveries WHERE id = ANY (ARRAY (
      SELECT id FROM deliveries WHERE state <> 'pending' AND finished_at < now() - make_interval(days => ${days})
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return gone.count
}

/** For gauges: how many wait, and for how many seconds the oldest of those that are due has been. */
export const backlog = async (sql: Queries): Promise<{ pending: number; late_seconds: number }> => {
  const [row] = await sql<[{ pending: number; late_seconds: number }]>`
    SELECT count(*) AS pending,
      coalesce(extract(epoch FROM clock_timestamp() - min(due_at)), 0)::float8 AS late_seconds
    FROM deliveries WHERE state = 'pending'`
  return { pending: row.pending, late_seconds: Math.max(row.late_seconds, 0) }
}
