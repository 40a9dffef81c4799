/** Long lists of subscribers: as JSON text, which this process never takes apart, or only the main ones of them. */
import type { SnapshotSql } from '@parley/db'
import { portions } from '@parley/kit/portions'
import type { TextCache } from '@parley/kit/text-cache'
import type { Queries } from '../room.ts'

/** Channels whose subscribers one statement reads: others have their turn between two of them. */
const channelsAtATime = 50

/** Subscribers below which all are named where a part would do (facts, section 7). */
const alwaysWhole = 250
/** Who did something within so many days is always named. */
const activeDays = 14

/** Whether a channel has so many subscribers that a part of them is named where that would do. */
const isNamedInPart = (channel: { readonly subscriber_count: number }): boolean =>
  channel.subscriber_count >= alwaysWhole

/** What of a channel that is listed decides how its subscribers are. */
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
const mainPeople = async (sql: Queries, realmId: number): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT u.id FROM users u LEFT JOIN user_activity a ON a.user_id = u.id
    WHERE u.realm_id = ${realmId} AND u.is_active
      AND (u.bot_type IS NOT NULL OR a.last_day >= current_date - ${activeDays}::int)
    ORDER BY u.id`
  return rows.map(({ id }) => id)
}

/** Which state of its row a listed channel shows. */
export type InState = (channel: Listed) => string

/**
 * As {@link subscriberTexts}, of all subscribers, from the texts that are kept: whatever changes who is named changes the
 * count or the membership version in the channel's row, in the same transaction, so a text belongs to a state of that row.
 * The states have to be of the snapshot that is read here.
 */
export const keptSubscriberTexts = async (
  sql: SnapshotSql,
  realmId: number,
  { texts, stateOf }: { texts: TextCache; stateOf: InState },
  channels: readonly Listed[],
): Promise<Map<number, string>> => {
  const nameOf = (channel: Listed): string => `${channel.stream_id} ${stateOf(channel)}`
  const found = new Map<number, string>()
  const missing = channels.filter((channel) => {
    const text = texts.get(nameOf(channel))
    if (text !== undefined) found.set(channel.stream_id, text)
    return text === undefined
  })
  const read = await subscriberTexts(sql, realmId, missing)
  for (const channel of missing) {
    const text = read.get(channel.stream_id)!
    texts.set(nameOf(channel), text)
    found.set(channel.stream_id, text)
  }
  return found
}

/**
 * Lists channels with their subscribers, or (`partial`) of large ones with the main people among them: as JSON texts with
 * commas between them, some at a time. `whole` finds all subscribers of channels.
 */
export const withSubscribers = (
  sql: Queries,
  realmId: number,
  wish: true | 'partial',
  whole: (channels: readonly Listed[]) => Promise<Map<number, string>>,
): ((channels: readonly Listed[]) => AsyncGenerator<string>) => {
  const isPart = (channel: Listed): boolean => wish === 'partial' && isNamedInPart(channel)
  let people: Promise<number[]> | undefined
  return async function* (channels) {
    for (const some of portions(channels, channelsAtATime)) {
      const all = await whole(some.filter((channel) => !isPart(channel)))
      const large = some.filter(isPart)
      if (large.length > 0) people ??= mainPeople(sql, realmId)
      const main = await subscriberTexts(sql, realmId, large, (await people) ?? [])
      const named = ({ stream_id }: Listed): string =>
        all.has(stream_id)
          ? `"subscribers":${all.get(stream_id)}`
          : `"partial_subscribers":${main.get(stream_id)}`
      yield some.map((channel) => `${JSON.stringify(channel).slice(0, -1)},${named(channel)}}`).join()
    }
  }
}
