/** Whom a change of messages is told: those who have them and may read them. */
import type { Role } from '@parley/contracts'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { ChannelRow } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { isNamedBy } from '../permissions/group-store.ts'
import type { Queries } from '../room.ts'
import { mayReadMessage } from './message-access.ts'

interface Told {
  readonly id: number
  readonly membership_version: number
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

/**
 * The people who received messages of a channel, or are subscribed to it now, by which of the messages they may read.
 * Who received one and may not read it any more, and who is subscribed and never could, is not among them.
 */
export const audiencesOf = async (
  sql: Queries,
  realm: Realm,
  channel: ChannelRow,
  messages: readonly Told[],
): Promise<Audience[]> => {
  const versions = [...new Set(messages.map((message) => message.membership_version))]
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
  const groups = new Set(named.flatMap(groupIds))
  const audiences = new Map<string, { userIds: number[]; messageIds: number[] }>()
  for (const row of readers) {
    const actor: Actor = { id: row.user_id, role: row.role, groups: row.is_named ? groups : new Set() }
    const received = new Set(row.versions ?? [])
    const mayRead = versions.filter(
      (version) =>
        mayReadMessage(actor, channel, {
          isSubscribed: row.is_subscribed,
          wasRecipient: received.has(version),
        }) &&
        (row.is_subscribed || received.has(version)),
    )
    if (mayRead.length === 0) continue
    const key = mayRead.join()
    const known = audiences.get(key)
    if (known !== undefined) known.userIds.push(row.user_id)
    else {
      const which = new Set(mayRead)
      const messageIds = messages.filter((one) => which.has(one.membership_version)).map((one) => one.id)
      audiences.set(key, { userIds: [row.user_id], messageIds: messageIds.sort((a, b) => a - b) })
    }
  }
  return [...audiences.values()]
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
