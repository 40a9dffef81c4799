import type { Told } from '../messages/message-audience.ts'
import type { Queries } from '../room.ts'

/** Conversations looked at by one statement. */
const lookedAt = 200

export interface RetentionProgress {
  readonly id: number
  readonly after_recipient_id: number
  readonly late_seconds: number
}

/** Locks the one row, unless somebody else is at work or nothing is due. */
export const claimRetention = async (sql: Queries): Promise<RetentionProgress | undefined> => {
  const [progress] = await sql<RetentionProgress[]>`
    SELECT 1 AS id, after_recipient_id, extract(epoch FROM clock_timestamp() - due_at)::float8 AS late_seconds
    FROM retention_progress WHERE due_at <= clock_timestamp() FOR UPDATE SKIP LOCKED`
  return progress
}

/** `pause`: seconds until the work goes on. */
export const storeRetentionProgress = async (
  sql: Queries,
  after_recipient_id: number,
  pause: number,
): Promise<void> => {
  await sql`
    UPDATE retention_progress SET after_recipient_id = ${after_recipient_id},
      due_at = clock_timestamp() + make_interval(secs => ${pause})`
}

export const secondsToRetention = async (sql: Queries): Promise<number | undefined> => {
  const [next] = await sql<{ seconds: number }[]>`
    SELECT extract(epoch FROM due_at - clock_timestamp())::float8 AS seconds FROM retention_progress`
  return next?.seconds
}

/** A conversation whose messages are not kept for ever. */
interface Bounded {
  readonly recipient_id: number
  readonly realm_id: number
  /** Null for direct messages. */
  readonly channel_id: number | null
  /** Days for which messages are kept. */
  readonly days: number
  readonly has_expired: boolean
}

/**
 * Those after `recipientId` whose messages are not kept for ever, in the order of their IDs; fewer than `isLast` says when
 * there are no more. What a channel says wins over what the organization says; -1 is for ever.
 */
export const boundedConversations = async (
  sql: Queries,
  recipientId: number,
): Promise<{ found: Bounded[]; isLast: boolean }> => {
  const found = await sql<Bounded[]>`
    SELECT b.recipient_id, b.realm_id, b.channel_id, b.days,
      coalesce(oldest.sent_at < now() - make_interval(days => b.days), false) AS has_expired
    FROM (
      SELECT * FROM (
        SELECT c.recipient_id, c.realm_id, c.id AS channel_id,
          coalesce(c.message_retention_days, (r.settings ->> 'message_retention_days')::int, -1) AS days
        FROM channels c JOIN realms r ON r.id = c.realm_id
        UNION ALL
        SELECT v.recipient_id, v.realm_id, NULL, coalesce((r.settings ->> 'message_retention_days')::int, -1)
        FROM conversations v JOIN realms r ON r.id = v.realm_id
      ) one
      WHERE one.recipient_id > ${recipientId} AND one.days > 0
      ORDER BY one.recipient_id LIMIT ${lookedAt}
    ) b
    LEFT JOIN LATERAL (
      SELECT m.sent_at FROM messages m WHERE m.recipient_id = b.recipient_id ORDER BY m.id LIMIT 1
    ) oldest ON true
    ORDER BY b.recipient_id`
  return { found, isLast: found.length < lookedAt }
}

export interface Expired extends Told {
  readonly topic: string
}

/** The oldest messages of a conversation that are older than so many days, at most `limit`; IDs ascend with time. */
export const expiredMessages = (
  sql: Queries,
  recipientId: number,
  days: number,
  limit: number,
): Promise<Expired[]> =>
  sql<Expired[]>`
    SELECT o.id, o.topic, o.membership_version, o.received_channel_id, o.received_version FROM (
      SELECT m.id, m.topic, m.membership_version, m.received_channel_id, m.received_version, m.sent_at
      FROM messages m
      WHERE m.recipient_id = ${recipientId} ORDER BY m.id LIMIT ${limit}
    ) o WHERE o.sent_at < now() - make_interval(days => ${days}) ORDER BY o.id`

export const archiveMessages = async (sql: Queries, ids: readonly number[]): Promise<void> => {
  await sql`SELECT archive_messages(${[...ids]}::bigint[])`
}

/**
 * Removes for good what has been archived for so many days.
 *
 * @returns how many messages' rows, of all kinds; fewer than `limit` when no more are due.
 */
export const removeArchived = async (sql: Queries, days: number, limit: number): Promise<number> =>
  (
    await sql`
      DELETE FROM archived_rows WHERE ctid = ANY (ARRAY (
        SELECT ctid FROM archived_rows WHERE archived_at < now() - make_interval(days => ${days})
        ORDER BY archived_at LIMIT ${limit}))`
  ).count
