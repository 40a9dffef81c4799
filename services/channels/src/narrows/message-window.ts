/** Finds the part of a narrow that a request asks for. */
import { limits, refuse } from '@parley/contracts'
import { anchorAfterAll } from '@parley/contracts/channels/anchors'
import type { Queries } from '../room.ts'
import type { NarrowPlan } from './narrow-plan.ts'
import { nearestIds, type Way } from './nearest.ts'

type Anchor = number | 'newest' | 'oldest' | 'first_unread' | 'date'

export interface WindowWish {
  readonly anchor: Anchor
  readonly anchor_date?: string | undefined
  readonly include_anchor: boolean
  readonly num_before: number
  readonly num_after: number
}

export interface Window {
  readonly anchor: number
  readonly found_anchor: boolean
  readonly found_oldest: boolean
  readonly found_newest: boolean
  /** Ascending. */
  readonly ids: number[]
}

/** @throws ApiError BAD_REQUEST when a request asks for too much at once. */
export const demandModestCounts = (before: number, after: number): void => {
  if (before + after > limits.maxMessagesPerRequest) {
    throw refuse('BAD_REQUEST', `Too many messages requested (maximum ${limits.maxMessagesPerRequest}).`)
  }
}

/**
 * Counts include what may stand on either side of the anchor; the anchor itself comes on top of them.
 *
 * @throws ApiError BAD_REQUEST for a date that is none.
 */
export const windowAround = async (sql: Queries, plan: NarrowPlan, wish: WindowWish): Promise<Window> => {
  const anchor = await placeOf(sql, plan, wish)
  const isAtStart = anchor === 0
  const isAtEnd = anchor >= anchorAfterAll
  const place = Math.min(anchor, Number.MAX_SAFE_INTEGER)
  const { ways } = plan
  const [older, newerWithAnchor] = await Promise.all([
    isAtStart ? [] : nearestIds(sql, ways, { place, side: 'older', count: wish.num_before }),
    isAtEnd ? [] : nearestIds(sql, ways, { place, side: 'newer', count: wish.num_after + 1 }),
  ])
  const isThere = newerWithAnchor[0] === place
  const newer = (isThere ? newerWithAnchor.slice(1) : newerWithAnchor).slice(0, wish.num_after)
  const found_anchor = isThere && wish.include_anchor
  return {
    anchor,
    found_anchor,
    found_oldest: isAtStart || older.length < wish.num_before,
    found_newest: isAtEnd || newer.length < wish.num_after,
    ids: [...older.reverse(), ...(found_anchor ? [place] : []), ...newer],
  }
}

const placeOf = async (sql: Queries, plan: NarrowPlan, wish: WindowWish): Promise<number> => {
  switch (wish.anchor) {
    case 'oldest':
      return 0
    case 'newest':
      return anchorAfterAll
    case 'first_unread':
      // Everything is read: as if asked for the newest.
      return (
        (await nearestIds(sql, await plan.unreadWays(), { place: 0, side: 'newer', count: 1 }))[0] ??
        anchorAfterAll
      )
    case 'date':
      return (await firstFrom(sql, plan.ways, momentOf(wish.anchor_date))) ?? anchorAfterAll
    default:
      return wish.anchor
  }
}

/** Date, or date and time; without an offset it is UTC. */
const isoMoment =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** @throws ApiError BAD_REQUEST unless it is a moment by ISO 8601. */
const momentOf = (text: string | undefined): Date => {
  if (text === undefined) throw refuse('BAD_REQUEST', "Missing 'anchor_date' argument")
  const match = isoMoment.exec(text.trim())
  const isDateOnly = text.trim().length === 10
  const isUtc = match?.[4] === undefined && !isDateOnly
  const moment =
    match === null || !isDay(match)
      ? Number.NaN
      : Date.parse(isUtc ? `${text.trim().replace(' ', 'T')}Z` : text.trim())
  if (Number.isNaN(moment)) throw refuse('BAD_REQUEST', 'anchor_date is not an ISO 8601 timestamp')
  return new Date(Math.min(Math.max(moment, earliest), latest))
}

/** What Postgres can be asked for, whatever the offset: no message is older or newer. */
const [earliest, latest] = [0, Date.UTC(9999, 0)]

/** Whether there is such a day: Date.parse takes February 30 for March 2. */
const isDay = ([, year, month, day]: RegExpExecArray): boolean =>
  new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)

/** Messages that were being sent at the same time may have IDs in another order than times, but by no more than this. */
const slackSeconds = 60

/** The first message of a narrow that was sent at or after a moment. */
const firstFrom = async (sql: Queries, ways: readonly Way[], moment: Date): Promise<number | undefined> => {
  const since = new Date(moment.getTime() - slackSeconds * 1000)
  const [row] = await sql<{ id: number }[]>`SELECT first_message_from(${since}) AS id`
  const wanted = ways.map((way) => ({
    ...way,
    conditions: [...way.conditions, sql`m.sent_at >= ${moment}`],
  }))
  return (await nearestIds(sql, wanted, { place: row!.id, side: 'newer', count: 1 }))[0]
}
