/** Finds the messages of a history that are nearest to a place, in whichever way is cheapest. */
import type { Queries } from '../room.ts'
import { type History, type Stretch, unbounded } from './history.ts'

/** SQL that says something of a message `m`; true or false, never null. */
export type Condition = ReturnType<typeof everything>

const everything = (sql: Queries) => sql`true`

/** One way to messages. Those of several ways are put together. */
export interface Way {
  readonly history: History
  /** Only what is newer than the reader's marks, or only what is not. */
  readonly part?: 'after marks' | 'up to marks'
  /** Each stretch is a topic of its channel: the index of topics leads to it. */
  readonly byTopic?: boolean
  /** All must hold. */
  readonly conditions: readonly Condition[]
  /**
   * What finds the few messages in question by an index of its own; without it the indexes of each conversation are
   * probed.
   */
  readonly hits?: Condition
  /** The same of the hits that are nearest to a place, at most so many: of somebody who has a great many. */
  readonly nearHits?: (sought: Sought) => Condition
  /** Most messages nearby will not be what is looked for. */
  readonly isRare?: boolean
  /** The hits may be a good part of all messages: then the nearest messages hold enough of them. */
  readonly mayBeMany?: boolean
}

/** Messages that are looked through before hits that may be many are read. */
const lookedThrough = 600

type Side = 'older' | 'newer'

/** The `count` messages nearest to a place, on one side of it: older than it, or newer including it. */
export interface Sought {
  readonly place: number
  readonly side: Side
  readonly count: number
}

/** IDs above, and up to which, a way searches a stretch. */
const searched = (part: Way['part'], stretch: Stretch): readonly [after: number, until: number] => {
  const { after_message_id: after, until_message_id: until, read_up_to: mark } = stretch
  if (part === 'after marks') return [Math.max(after, mark), until]
  return [after, part === 'up to marks' ? Math.min(until, mark) : until]
}

/** The stretches as a table, as much of them as the way is about; it is sent with every statement. */
const stretchesOf = (sql: Queries, { history, part, byTopic = false }: Way) => {
  const topics = byTopic
    ? sql`, ${history.map((one) => one.channel_id)}::bigint[], ${history.map((one) => one.topic!)}::text[]`
    : sql``
  return sql`
  stretch AS (
    SELECT * FROM unnest(
      ${history.map((one) => one.recipient_id)}::bigint[],
      ${history.map((one) => one.from_version)}::bigint[],
      ${history.map((one) => one.to_version)}::bigint[],
      ${history.map((one) => searched(part, one)[0])}::bigint[],
      ${history.map((one) => searched(part, one)[1])}::bigint[]
      ${topics}
    ) WITH ORDINALITY AS s(
      recipient_id, from_version, to_version, after_id, until_id ${byTopic ? sql`, channel_id, topic` : sql``}, number)
  )`
}

/** That message `m` belongs to stretch `s`. */
const belongs = (sql: Queries, { byTopic = false }: Way) => sql`
  m.recipient_id = s.recipient_id AND m.id > s.after_id AND m.id <= s.until_id
  AND m.membership_version >= s.from_version AND m.membership_version < s.to_version
  ${byTopic ? sql`AND m.channel_id = s.channel_id AND lower(m.topic) = lower(s.topic)` : sql``}`

const all = (sql: Queries, conditions: readonly Condition[]): Condition =>
  conditions.reduce((before, one) => sql`${before} AND (${one})`, everything(sql))

/** Conversations from which on probing each of them costs more than a look at the latest messages of all. */
const manyConversations = 40
/** IDs that are looked at for one message of the page, and besides. */
const [idsPerMessage, moreIds] = [2, 100]

/**
 * The nearest, if they are all among the nearest IDs of whoever is on this server: most of what is written nearby may
 * be read by somebody who has many conversations. Else undefined, for little.
 */
const amongLatest = async (sql: Queries, way: Way, sought: Sought): Promise<number[] | undefined> => {
  const { history, part } = way
  if (way.isRare === true || way.byTopic === true || history.length < manyConversations) return undefined
  const { place, side, count } = sought
  const span = idsPerMessage * count + moreIds
  const [after, until] = [0, 1].map((end) => history.map((stretch) => searched(part, stretch)[end]!))
  const last = Math.min(place - 1, Math.max(...until!))
  const first = Math.max(place, Math.min(...after!) + 1)
  const near =
    side === 'older'
      ? sql`m.id <= ${last} AND m.id > least(${last}, (SELECT max(id) FROM messages)) - ${span}::bigint`
      : sql`m.id >= ${first} AND m.id < ${first}::bigint + ${span}`
  const found = await nearestHits(sql, way, near, sought)
  return found.length === count ? found : undefined
}

/** Messages read from each conversation in the first round, at least. */
const firstHelping = 4

/** The IDs that are sought, nearest first. */
export const nearestIds = async (sql: Queries, ways: readonly Way[], sought: Sought): Promise<number[]> => {
  const { side, count } = sought
  if (count === 0) return []
  const found = await Promise.all(
    ways
      .filter((way) => way.history.length > 0)
      .map(async (way) =>
        way.hits === undefined
          ? nearestByConversation(sql, way, sought)
          : ((await amongNearest(sql, way, sought)) ??
            (await amongNearestHits(sql, way, sought)) ??
            nearestHits(sql, way, way.hits, sought)),
      ),
  )
  const sorted = [...new Set(found.flat())].sort((a, b) => (side === 'older' ? b - a : a - b))
  return sorted.slice(0, count)
}

/** The nearest hits, if they are all among the nearest messages; else undefined. */
const amongNearest = async (sql: Queries, way: Way, sought: Sought): Promise<number[] | undefined> => {
  if (way.mayBeMany !== true || sought.count >= lookedThrough) return undefined
  const anything = { ...way, conditions: [], isRare: false }
  const nearest = await nearestByConversation(sql, anything, { ...sought, count: lookedThrough })
  const among = sql`m.id = ANY (${nearest}::bigint[])`
  const found = await nearestHits(sql, way, among, sought)
  return found.length === sought.count || nearest.length < lookedThrough ? found : undefined
}

/** The nearest of a page or two of hits, where most are what is looked for and may be read; else undefined. */
const amongNearestHits = async (sql: Queries, way: Way, sought: Sought): Promise<number[] | undefined> => {
  if (way.nearHits === undefined) return undefined
  const near = way.nearHits({ ...sought, count: 2 * sought.count })
  const found = await nearestHits(sql, way, near, sought)
  return found.length === sought.count ? found : undefined
}

/** The hits are read all, and then those that the reader may see are sorted out. */
const nearestHits = async (
  sql: Queries,
  way: Way,
  hits: Condition,
  { place, side, count }: Sought,
): Promise<number[]> => {
  const isOlder = side === 'older'
  const rows = await sql<{ id: number }[]>`
    WITH ${stretchesOf(sql, way)},
    hit AS MATERIALIZED (
      SELECT m.id, m.recipient_id, m.channel_id, m.topic, m.membership_version FROM messages m
      WHERE ${hits} AND ${isOlder ? sql`m.id < ${place}` : sql`m.id >= ${place}`} AND ${all(sql, way.conditions)}
    )
    SELECT DISTINCT m.id FROM hit m JOIN stretch s ON ${belongs(sql, way)}
    ORDER BY m.id ${isOlder ? sql`DESC` : sql`ASC`} LIMIT ${count}`
  return rows.map((row) => row.id)
}

const nearestByConversation = async (sql: Queries, way: Way, sought: Sought): Promise<number[]> =>
  (await amongLatest(sql, way, sought)) ?? probeConversations(sql, way, sought)

/**
 * Two rounds: a few from each conversation; then, only from those that may hold more that are nearer than the farthest
 * of the nearest `count` so far, what lies before that bound. So one busy conversation among many quiet ones costs a
 * page of it and a few probes of each other.
 */
const probeConversations = async (
  sql: Queries,
  way: Way,
  { place, side, count }: Sought,
): Promise<number[]> => {
  const helping =
    way.history.length === 1
      ? count
      : Math.min(count, Math.max(firstHelping, Math.ceil((2 * count) / way.history.length)))
  const isOlder = side === 'older'
  const before = isOlder ? sql`<` : sql`>`
  const order = isOlder ? sql`DESC` : sql`ASC`
  const farthest = isOlder ? sql`min` : sql`max`
  const from = isOlder ? sql`m.id < ${place}` : sql`m.id >= ${place}`
  const beyondAll = isOlder ? 0 : unbounded
  const wanted = sql`${belongs(sql, way)} AND ${all(sql, way.conditions)}`
  const rows = await sql<{ id: number }[]>`
    WITH ${stretchesOf(sql, way)},
    helping AS MATERIALIZED (
      SELECT s.number, taken.id FROM stretch s CROSS JOIN LATERAL (
        SELECT m.id FROM messages m WHERE ${wanted} AND ${from} ORDER BY m.id ${order} LIMIT ${helping}
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
        WHERE ${wanted} AND m.id ${before} full_one.reached AND bound.id ${before} m.id
        ORDER BY m.id ${order} LIMIT ${count}
      ) taken
      WHERE bound.id ${before} full_one.reached
    )
    SELECT id FROM (SELECT id FROM helping UNION ALL SELECT id FROM more) nearest
    ORDER BY id ${order} LIMIT ${count}`
  return rows.map((row) => row.id)
}

/** The newest message of a history; undefined when it is empty. */
export const newestId = async (sql: Queries, history: History): Promise<number | undefined> =>
  (await nearestIds(sql, [{ history, conditions: [] }], { place: unbounded, side: 'older', count: 1 }))[0]
