/** Who is, and was, subscribed to channels: see migrations/002_channels.sql for what a period says. */
import { readByLeaving } from '../read-state/read-store.ts'
import type { Queries } from '../room.ts'

/** One user of one channel. */
export interface Membership {
  readonly channel_id: number
  readonly user_id: number
}

/** Those of the pairs of `channelIds` and `userIds` that are subscribed now. */
export const currentMemberships = (
  sql: Queries,
  channelIds: readonly number[],
  userIds: readonly number[],
): Promise<Membership[]> =>
  sql<Membership[]>`
    SELECT channel_id, user_id FROM subscription_periods
    WHERE channel_id = ANY (${[...channelIds]}::bigint[]) AND user_id = ANY (${[...userIds]}::bigint[])
      AND to_version IS NULL`

/**
 * Opens a period for each of the users in each of the channels who has none now. The rows of the channels are locked by
 * the caller. All of one channel begin at its next membership version, which the caller need not set.
 *
 * @returns the pairs that are new.
 */
export const openPeriods = async (
  sql: Queries,
  channelIds: readonly number[],
  userIds: readonly number[],
): Promise<Membership[]> => {
  const opened = await sql<Membership[]>`
    INSERT INTO subscription_periods (channel_id, user_id, from_version, after_message_id)
    SELECT c.id, u.id, c.membership_version + 1, coalesce(last.id, 0)
    FROM channels c
    CROSS JOIN LATERAL (SELECT max(m.id) AS id FROM messages m WHERE m.recipient_id = c.recipient_id) last
    CROSS JOIN unnest(${[...userIds]}::bigint[]) AS u(id)
    WHERE c.id = ANY (${[...channelIds]}::bigint[])
    ORDER BY c.id, u.id
    ON CONFLICT (channel_id, user_id) WHERE to_version IS NULL DO NOTHING
    RETURNING channel_id, user_id`
  await sql`
    UPDATE channels c SET
      membership_version = c.membership_version + 1,
      subscriber_count = c.subscriber_count + joined.people
    FROM (
      SELECT id, count(*) AS people FROM unnest(${opened.map((pair) => pair.channel_id)}::bigint[]) AS id GROUP BY id
    ) joined
    WHERE c.id = joined.id`
  return opened
}

/**
 * Ends the current periods of the users in the channels. The rows of the channels are locked by the caller; takes the
 * realm's order lock, since what was sent so far bounds the periods: so it is to be the last step of a transaction.
 *
 * @returns the pairs that were subscribed.
 */
export const closePeriods = async (
  sql: Queries,
  realmId: number,
  channelIds: readonly number[],
  userIds: readonly number[],
): Promise<Membership[]> => {
  await lockRealmOrder(sql, realmId)
  const closed = await sql<Membership[]>`
    WITH last AS MATERIALIZED (
      SELECT c.id, c.membership_version + 1 AS version,
        coalesce((SELECT max(m.id) FROM messages m WHERE m.recipient_id = c.recipient_id), 0) AS message_id
      FROM channels c WHERE c.id = ANY (${[...channelIds]}::bigint[]))
    UPDATE subscription_periods p SET to_version = last.version, until_message_id = last.message_id
    FROM last
    WHERE p.channel_id = last.id AND p.user_id = ANY (${[...userIds]}::bigint[]) AND p.to_version IS NULL
    RETURNING p.channel_id, p.user_id`
  // Counted were only the active ones.
  await sql`
    UPDATE channels c SET
      membership_version = c.membership_version + 1,
      subscriber_count = c.subscriber_count - gone.people
    FROM (
      SELECT pair.channel_id, count(*) FILTER (WHERE coalesce(u.is_active, true)) AS people
      FROM unnest(${closed.map((pair) => pair.channel_id)}::bigint[], ${closed.map((pair) => pair.user_id)}::bigint[])
        AS pair(channel_id, user_id)
      LEFT JOIN users u ON u.id = pair.user_id
      GROUP BY pair.channel_id
    ) gone
    WHERE c.id = gone.channel_id`
  await readByLeaving(sql, closed)
  return closed
}

/**
 * Every transaction that changes who receives messages ends with this: what it wrote is then either all before or all
 * after a message, in the database and in the order of announcements.
 */
export const lockRealmOrder = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`SELECT lock_realm_order(${realmId})`
}

/** The users whose periods cover a membership version: the recipients of a message sent at it. */
export const membersAt = async (sql: Queries, channelId: number, version: number): Promise<number[]> => {
  const rows = await sql<{ user_id: number }[]>`
    SELECT user_id FROM subscription_periods
    WHERE channel_id = ${channelId} AND from_version <= ${version}
      AND (to_version IS NULL OR to_version > ${version})`
  return rows.map((row) => row.user_id)
}

/** Active current subscribers of each channel, by ID. */
export const subscribersOf = async (
  sql: Queries,
  channelIds: readonly number[],
): Promise<Map<number, number[]>> => {
  const rows = await sql<{ channel_id: number; user_ids: number[] }[]>`
    SELECT p.channel_id, array_agg(p.user_id ORDER BY p.user_id) AS user_ids
    FROM subscription_periods p LEFT JOIN users u ON u.id = p.user_id
    WHERE p.channel_id = ANY (${[...channelIds]}::bigint[]) AND p.to_version IS NULL
      AND coalesce(u.is_active, true)
    GROUP BY p.channel_id`
  return new Map(rows.map((row) => [row.channel_id, row.user_ids]))
}

/** Active guests who are subscribed to each channel, by ID. */
export const guestsIn = async (
  sql: Queries,
  channelIds: readonly number[],
): Promise<Map<number, number[]>> => {
  const rows = await sql<{ channel_id: number; user_ids: number[] }[]>`
    SELECT p.channel_id, array_agg(p.user_id ORDER BY p.user_id) AS user_ids
    FROM users u JOIN subscription_periods p ON p.user_id = u.id AND p.to_version IS NULL
    WHERE u.realm_id = (SELECT realm_id FROM channels WHERE id = ${channelIds[0] ?? 0}) AND u.role = 600 AND u.is_active
      AND p.channel_id = ANY (${[...channelIds]}::bigint[])
    GROUP BY p.channel_id`
  return new Map(rows.map((row) => [row.channel_id, row.user_ids]))
}

/** Corrects the counts of a user's channels when the account ends or comes back. */
export const countActiveSubscriber = async (sql: Queries, userId: number, change: 1 | -1): Promise<void> => {
  await sql`
    WITH held AS (
      SELECT id FROM channels WHERE id IN (
        SELECT channel_id FROM subscription_periods WHERE user_id = ${userId} AND to_version IS NULL)
      ORDER BY id FOR NO KEY UPDATE)
    UPDATE channels SET subscriber_count = subscriber_count + ${change}::int WHERE id IN (SELECT id FROM held)`
}
