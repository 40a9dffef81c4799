/**
 * Everything that was sent to one user and that they may still read, as one sequence by ID. It is stored nowhere: it is
 * merged, page by page, from the indexes of the conversations that it consists of.
 */
import type { Person } from '../channels/group-permission.ts'
import type { Queries } from '../room.ts'
import { type HistoryRules, mayReadMessage } from './message-access.ts'

/** A stretch of one conversation that belongs to a history. */
interface Stretch {
  readonly recipient_id: number
  /** Membership versions from, and below which; all of a direct conversation. */
  readonly from_version: number
  readonly to_version: number
  /** IDs above, and up to which, there can be messages of the stretch. */
  readonly after_message_id: number
  readonly until_message_id: number
}

export type PersonalHistory = readonly Stretch[]

const unbounded = Number.MAX_SAFE_INTEGER

/** The stretches of a user's history, as access is now. */
export const personalHistory = async (sql: Queries, reader: Person): Promise<PersonalHistory> => {
  const periods = await sql<(Stretch & HistoryRules & { is_subscribed: boolean })[]>`
    SELECT c.recipient_id, p.from_version, coalesce(p.to_version, ${unbounded}::bigint) AS to_version,
      p.after_message_id, coalesce(p.until_message_id, ${unbounded}::bigint) AS until_message_id,
      c.invite_only, c.is_web_public, c.history_public_to_subscribers,
      EXISTS (
        SELECT FROM subscription_periods now
        WHERE now.channel_id = p.channel_id AND now.user_id = p.user_id AND now.to_version IS NULL) AS is_subscribed
    FROM subscription_periods p JOIN channels c ON c.id = p.channel_id
    WHERE p.user_id = ${reader.id}`
  const conversations = await sql<{ recipient_id: number }[]>`
    SELECT recipient_id FROM conversation_participants WHERE user_id = ${reader.id}`
  return [
    ...periods.filter((period) =>
      mayReadMessage(reader, period, { isSubscribed: period.is_subscribed, wasRecipient: true }),
    ),
    ...conversations.map(({ recipient_id }) => ({
      recipient_id,
      from_version: 0,
      to_version: unbounded,
      after_message_id: 0,
      until_message_id: unbounded,
    })),
  ]
}

const stretchesOf = (sql: Queries, history: PersonalHistory) => sql`
  stretch AS (
    SELECT * FROM unnest(
      ${history.map((one) => one.recipient_id)}::bigint[],
      ${history.map((one) => one.from_version)}::bigint[],
      ${history.map((one) => one.to_version)}::bigint[],
      ${history.map((one) => one.after_message_id)}::bigint[],
      ${history.map((one) => one.until_message_id)}::bigint[]
    ) WITH ORDINALITY AS s(recipient_id, from_version, to_version, after_id, until_id, number)
  )`

/** That message `m` belongs to stretch `s`. */
const belongs = (sql: Queries) => sql`
  m.recipient_id = s.recipient_id AND m.id > s.after_id AND m.id <= s.until_id
  AND m.membership_version >= s.from_version AND m.membership_version < s.to_version`

/** Messages read from each conversation in the first round, at least. */
const firstHelping = 8

/**
 * The `count` IDs nearest to a place on one side of it, nearest first: `older` than it, or `newer` including it.
 *
 * Two rounds: a few from each conversation; then, only from those that may hold more that are nearer than the farthest
 * of the nearest `count` so far, what lies before that bound. So one busy conversation among many quiet ones costs a
 * page of it and a few probes of each other.
 */
export const nearestIds = async (
  sql: Queries,
  history: PersonalHistory,
  place: number,
  side: 'older' | 'newer',
  count: number,
): Promise<number[]> => {
  if (history.length === 0 || count === 0) return []
  const helping = Math.min(count, Math.max(firstHelping, Math.ceil((2 * count) / history.length)))
  const isOlder = side === 'older'
  const before = isOlder ? sql`<` : sql`>`
  const order = isOlder ? sql`DESC` : sql`ASC`
  const farthest = isOlder ? sql`min` : sql`max`
  const from = isOlder ? sql`m.id < ${place}` : sql`m.id >= ${place}`
  const beyondAll = isOlder ? 0 : unbounded
  const rows = await sql<{ id: number }[]>`
    WITH ${stretchesOf(sql, history)},
    helping AS MATERIALIZED (
      SELECT s.number, taken.id FROM stretch s CROSS JOIN LATERAL (
        SELECT m.id FROM messages m WHERE ${belongs(sql)} AND ${from} ORDER BY m.id ${order} LIMIT ${helping}
      ) taken
    ), bound AS (
      SELECT coalesce(
        (SELECT id FROM helping ORDER BY id ${order} OFFSET ${count - 1} LIMIT 1), ${beyondAll}::bigint) AS id
    ), more AS (
      SELECT taken.id
      FROM (SELECT number, ${farthest}(id) AS reached FROM helping GROUP BY number HAVING count(*) = ${helping}) full_one
      JOIN stretch s USING (number)
      CROSS JOIN bound
      CROSS JOIN LATERAL (
        SELECT m.id FROM messages m
        WHERE ${belongs(sql)} AND m.id ${before} full_one.reached AND bound.id ${before} m.id
        ORDER BY m.id ${order} LIMIT ${count}
      ) taken
      WHERE bound.id ${before} full_one.reached
    )
    SELECT id FROM (SELECT id FROM helping UNION ALL SELECT id FROM more) nearest
    ORDER BY id ${order} LIMIT ${count}`
  return rows.map((row) => row.id)
}

/** The newest message of a history; undefined when it is empty. */
export const newestId = async (sql: Queries, history: PersonalHistory): Promise<number | undefined> =>
  (await nearestIds(sql, history, unbounded, 'older', 1))[0]

/**
 * The oldest message that the reader has not read. Only what somebody wrote is read by that person from the start, and
 * nothing else can be marked yet.
 */
export const firstUnreadId = async (
  sql: Queries,
  history: PersonalHistory,
  readerId: number,
): Promise<number | undefined> => {
  if (history.length === 0) return undefined
  const [row] = await sql<{ id: number | null }[]>`
    WITH ${stretchesOf(sql, history)}
    SELECT min(first.id) AS id FROM stretch s CROSS JOIN LATERAL (
      SELECT m.id FROM messages m
      WHERE ${belongs(sql)} AND NOT (m.sender_id = ${readerId} AND m.read_by_sender) ORDER BY m.id LIMIT 1
    ) first`
  return row?.id ?? undefined
}
