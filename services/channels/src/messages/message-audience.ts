/** Whom a change of messages is told: those who have them and may read them. */
import type { Role } from '@parley/contracts'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { ChannelRow } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { isNamedBy } from '../permissions/group-store.ts'
import type { Queries } from '../room.ts'
import { mayReadMessage } from './message-access.ts'

/** A message, and who received it: at which version where it is, and where it came from if it was moved. */
export interface Told {
  readonly id: number
  readonly membership_version: number
  readonly received_channel_id: number | null
  readonly received_version: number | null
}

/** People who are told of the same messages. */
export interface Audience {
  readonly userIds: readonly number[]
  /** Ascending. */
  readonly messageIds: readonly number[]
}

interface Reader {
  readonly user_id: number
  readonly role: Role
  readonly is_named: boolean
  readonly is_subscribed: boolean
  /** Of `versions`, those that a period of the reader covers. */
  readonly versions: readonly number[]
}

/** Messages that were received by the same people. */
interface Lot extends Omit<Told, 'id'> {
  readonly ids: number[]
}

const lotsOf = (messages: readonly Told[]): Lot[] => {
  const lots = new Map<string, Lot>()
  for (const { id, ...received } of messages) {
    const { membership_version, received_channel_id, received_version } = received
    const key = `${membership_version}/${received_channel_id}/${received_version}`
    const lot = lots.get(key)
    if (lot === undefined) {
      lots.set(key, { membership_version, received_channel_id, received_version, ids: [id] })
    } else lot.ids.push(id)
  }
  return [...lots.values()]
}

/**
 * The people who received messages of a channel, there or before they were moved there, or are subscribed to it now, or
 * have starred one that they found there, by which of the messages they may read. Who received one and may not read it any
 * more, and who is subscribed and never could, is not among them.
 */
export const audiencesOf = async (
  sql: Queries,
  realm: Realm,
  channel: ChannelRow,
  messages: readonly Told[],
): Promise<Audience[]> => {
  const lots = lotsOf(messages)
  const versions = [...new Set(lots.map((lot) => lot.membership_version))]
  const { can_add_subscribers_group, can_subscribe_group } = channel.group_settings
  const named = [can_add_subscribers_group, can_subscribe_group]
  const readers = await sql<Reader[]>`
    SELECT r.user_id, coalesce(u.role, 600) AS role, r.is_subscribed, r.versions,
      ${channel.invite_only ? sql`NOT r.is_subscribed AND ${isNamedBy(sql, realm, named)}` : sql`false`} AS is_named
    FROM (
      SELECT p.user_id, bool_or(p.to_version IS NULL) AS is_subscribed,
        array_agg(v.version) FILTER (WHERE v.version IS NOT NULL) AS versions
      FROM subscription_periods p
      LEFT JOIN unnest(${versions}::bigint[]) AS v(version)
        ON p.from_version <= v.version AND (p.to_version IS NULL OR p.to_version > v.version)
      WHERE p.channel_id = ${channel.id} AND (p.to_version IS NULL OR v.version IS NOT NULL)
      GROUP BY p.user_id
    ) r LEFT JOIN users u ON u.id = r.user_id
    ORDER BY r.user_id`
  const holders = await holdersElsewhere(sql, lots)
  const known = new Set(readers.map((row) => row.user_id))
  const outside = await strangersWhoMayRead(
    sql,
    realm,
    channel,
    [...holders.keys()].filter((id) => !known.has(id)),
  )
  const groups = new Set(named.flatMap(groupIds))
  const audiences = new Map<string, { userIds: number[]; messageIds: number[] }>()
  /** `mayRead`: of all lots, whether the account may read it and is to be told. */
  const add = (userId: number, mayRead: (lot: Lot) => boolean): void => {
    const places = lots.flatMap((lot, place) => (mayRead(lot) ? [place] : []))
    if (places.length === 0) return
    const key = places.join()
    const alike = audiences.get(key)
    if (alike !== undefined) alike.userIds.push(userId)
    else {
      const messageIds = places.flatMap((place) => lots[place]!.ids).sort((a, b) => a - b)
      audiences.set(key, { userIds: [userId], messageIds })
    }
  }
  for (const row of readers) {
    const actor: Actor = { id: row.user_id, role: row.role, groups: row.is_named ? groups : new Set() }
    const received = new Set(row.versions ?? [])
    const held = holders.get(row.user_id)
    add(row.user_id, (lot) => {
      const wasRecipient = received.has(lot.membership_version)
      return (
        (row.is_subscribed || wasRecipient || held?.has(lot) === true) &&
        mayReadMessage(actor, channel, { isSubscribed: row.is_subscribed, wasRecipient })
      )
    })
  }
  for (const userId of outside) {
    const held = holders.get(userId)!
    add(userId, (lot) => held.has(lot))
  }
  const subscribed = new Set(readers.filter((row) => row.is_subscribed).map((row) => row.user_id))
  const finders = await findersBesides([...audiences.values()], sql, messages, subscribed)
  const mayStill = new Set(await strangersWhoMayRead(sql, realm, channel, [...finders.keys()]))
  for (const [userId, messageIds] of finders) {
    if (mayStill.has(userId)) audiences.set(`finder ${userId}`, { userIds: [userId], messageIds })
  }
  return [...audiences.values()]
}

/** Who has flags on messages, by account, without what is told anyway: who finds a message may star it, and holds it then. */
const findersBesides = async (
  told: readonly Audience[],
  sql: Queries,
  messages: readonly Told[],
  subscribed: ReadonlySet<number>,
): Promise<Map<number, number[]>> => {
  const rows = await sql<{ user_id: number; message_ids: number[] }[]>`
    SELECT user_id, array_agg(message_id ORDER BY message_id) AS message_ids FROM message_flags
    WHERE message_id = ANY (${messages.map(({ id }) => id)}::bigint[]) GROUP BY user_id`
  const finders = rows.filter(({ user_id }) => !subscribed.has(user_id))
  const ids = new Set(finders.map(({ user_id }) => user_id))
  const toldTo = new Map<number, Set<number>>()
  for (const { userIds, messageIds } of told) {
    for (const id of userIds) {
      if (ids.has(id)) toldTo.set(id, new Set([...(toldTo.get(id) ?? []), ...messageIds]))
    }
  }
  return new Map(
    finders
      .map(({ user_id, message_ids }) => {
        const others = message_ids.filter((id) => toldTo.get(user_id)?.has(id) !== true)
        return [user_id, others] as const
      })
      .filter(([, others]) => others.length > 0),
  )
}

/** Who received messages in the channel that they were moved from, by account: their clients have them. */
const holdersElsewhere = async (
  sql: Queries,
  lots: readonly Lot[],
): Promise<ReadonlyMap<number, ReadonlySet<Lot>>> => {
  const moved = lots.filter((lot) => lot.received_version !== null)
  const holders = new Map<number, Set<Lot>>()
  if (moved.length === 0) return holders
  const rows = await sql<{ user_id: number; place: number }[]>`
    SELECT p.user_id, o.place
    FROM unnest(
      ${moved.map((lot) => lot.received_channel_id)}::bigint[], ${moved.map((lot) => lot.received_version)}::bigint[]
    ) WITH ORDINALITY AS o(channel_id, version, place)
    JOIN subscription_periods p ON p.channel_id = o.channel_id AND p.from_version <= o.version
      AND (p.to_version IS NULL OR p.to_version > o.version)`
  for (const { user_id, place } of rows) {
    const held = holders.get(user_id) ?? new Set<Lot>()
    holders.set(user_id, held.add(moved[place - 1]!))
  }
  return holders
}

const groupIds = (value: GroupSettingValue): readonly number[] =>
  typeof value === 'number' ? [value] : value.direct_subgroups

/** Those of some people who may read a channel's shared history without being subscribed to it. */
export const strangersWhoMayRead = async (
  sql: Queries,
  realm: Realm,
  channel: ChannelRow,
  userIds: readonly number[],
): Promise<number[]> => {
  if (userIds.length === 0) return []
  const { can_add_subscribers_group, can_subscribe_group } = channel.group_settings
  const named = [can_add_subscribers_group, can_subscribe_group]
  const rows = await sql<Pick<Reader, 'user_id' | 'role' | 'is_named'>[]>`
    SELECT u.id AS user_id, u.role, ${channel.invite_only ? isNamedBy(sql, realm, named) : sql`false`} AS is_named
    FROM users u WHERE u.id = ANY (${[...userIds]}::bigint[]) ORDER BY u.id`
  const groups = new Set(named.flatMap(groupIds))
  return rows
    .filter((row) =>
      mayReadMessage(
        { id: row.user_id, role: row.role, groups: row.is_named ? groups : new Set() },
        channel,
        {
          isSubscribed: false,
          wasRecipient: false,
        },
      ),
    )
    .map((row) => row.user_id)
}
