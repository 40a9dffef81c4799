/** Long lists of subscribers: as JSON text, which this process never takes apart, or only the main ones of them. */
import type { Queries } from '../room.ts'
import { subscribersOf } from './period-store.ts'

/** Channels whose subscribers one statement reads: others have their turn between two of them. */
export const channelsAtATime = 50

/** Subscribers below which all are named where a part would do (facts, section 7). */
const alwaysWhole = 250
/** Who did something within so many days is always named. */
const activeDays = 14

/** Whether a channel has so many subscribers that a part of them is named where that would do. */
export const isNamedInPart = (channel: { readonly subscriber_count: number }): boolean =>
  channel.subscriber_count >= alwaysWhole

/** A channel as it is listed. */
interface Listed {
  readonly stream_id: number
  readonly subscriber_count: number
}

/**
 * Active subscribers of each channel by ID, as JSON text: each list is one walk along the index of the channel's
 * subscribers. `among`: only these people, in the order of IDs; where they are few they are looked up one by one.
 */
export const subscriberTexts = async (
  sql: Queries,
  realmId: number,
  channels: readonly Listed[],
  among?: readonly number[],
): Promise<Map<number, string>> => {
  const isLookedUp = ({ subscriber_count }: Listed): boolean =>
    among !== undefined && 2 * among.length < subscriber_count
  const subscribed = sql`FROM subscription_periods p WHERE p.channel_id = c.id AND p.to_version IS NULL`
  const people = [...(among ?? [])]
  const isNamed =
    among === undefined
      ? sql`p.user_id NOT IN (SELECT u.id FROM users u WHERE u.realm_id = ${realmId} AND NOT u.is_active)`
      : sql`p.user_id = ANY (${people}::bigint[])`
  const found = new Map<number, string>()
  for (const [byLookUp, some] of Map.groupBy(channels, isLookedUp)) {
    const list = byLookUp
      ? sql`SELECT w.id FROM unnest(${people}::bigint[]) AS w(id) WHERE EXISTS (SELECT ${subscribed} AND p.user_id = w.id) ORDER BY w.id`
      : sql`SELECT p.user_id ${subscribed} AND ${isNamed} ORDER BY p.user_id`
    const rows = await sql<{ id: number; text: string }[]>`
      SELECT c.id, '[' || array_to_string(ARRAY(${list}), ',') || ']' AS text
      FROM unnest(${some.map(({ stream_id }) => stream_id)}::bigint[]) AS c(id)`
    for (const { id, text } of rows) found.set(id, text)
  }
  return found
}

/** Who is named wherever they are subscribed: the bots of an organization, and the people who were active lately. */
export const mainPeople = async (sql: Queries, realmId: number): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT u.id FROM users u LEFT JOIN user_activity a ON a.user_id = u.id
    WHERE u.realm_id = ${realmId} AND u.is_active
      AND (u.bot_type IS NOT NULL OR a.last_day >= current_date - ${activeDays}::int)
    ORDER BY u.id`
  return rows.map(({ id }) => id)
}

/** A channel's subscribers, or only those of them that must not be left out. */
interface NamedSubscribers {
  readonly user_ids: number[]
  readonly isPart: boolean
}

/** Active accounts subscribed to each channel, by ID; of large channels, only the main people. */
export const mainSubscribersOf = async (
  sql: Queries,
  realmId: number,
  channels: readonly { readonly id: number; readonly subscriber_count: number }[],
): Promise<Map<number, NamedSubscribers>> => {
  const large = channels.filter(isNamedInPart).map(({ id }) => id)
  const small = channels.filter((channel) => !isNamedInPart(channel)).map(({ id }) => id)
  const found = new Map<number, NamedSubscribers>(large.map((id) => [id, { user_ids: [], isPart: true }]))
  for (const [id, user_ids] of await subscribersOf(sql, small)) found.set(id, { user_ids, isPart: false })
  if (large.length === 0) return found
  const people = await mainPeople(sql, realmId)
  for (let first = 0; first < large.length; first += channelsAtATime) {
    const rows = await sql<{ channel_id: number; user_ids: number[] }[]>`
      SELECT channel_id, array_agg(user_id ORDER BY user_id) AS user_ids FROM subscription_periods
      WHERE channel_id = ANY (${large.slice(first, first + channelsAtATime)}::bigint[]) AND to_version IS NULL
        AND user_id = ANY (${people}::bigint[])
      GROUP BY channel_id`
    for (const { channel_id, user_ids } of rows) found.set(channel_id, { user_ids, isPart: true })
  }
  return found
}
