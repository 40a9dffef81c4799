import { oncePerSnapshot } from '@parley/kit/once-per-snapshot'
import type { ChannelActivity, ChannelRow } from '../channels/channel-store.ts'
import { activityColumns, activityJoin, channelColumns } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import { isNamedBy } from '../permissions/group-store.ts'
import { withShownSettings } from '../permissions/shown-settings.ts'
import type { Queries } from '../room.ts'
import type { Membership } from './period-store.ts'

/** What one subscriber set for a channel. Null settings inherit the user's own. */
export interface SubscriptionSettings {
  readonly color: string
  readonly is_muted: boolean
  readonly pin_to_top: boolean
  readonly desktop_notifications: boolean | null
  readonly audible_notifications: boolean | null
  readonly push_notifications: boolean | null
  readonly email_notifications: boolean | null
  readonly wildcard_mentions_notify: boolean | null
}

const settingsColumns = (sql: Queries) => sql`
  s.color, s.is_muted, s.pin_to_top, s.desktop_notifications, s.audible_notifications, s.push_notifications,
  s.email_notifications, s.wildcard_mentions_notify`

/** A channel as one user stands to it. The settings are null for who was never subscribed. */
export type SeenChannel = ChannelRow &
  ChannelActivity & {
    is_subscribed: boolean
    /** The transaction that wrote the channel's row as it is: another one for every change of it. */
    state: string
  } & (SubscriptionSettings | { [K in keyof SubscriptionSettings]: null })

/**
 * An organization's channels (`subscribed`: only those that the user is in now) with what the user set for them, by
 * name, and their settings as they are shown. Which of them the user may know of is for `mayKnowChannel` to say.
 */
export const channelsSeenBy = async (
  sql: Queries,
  realmId: number,
  userId: number,
  which: 'all' | 'subscribed',
): Promise<SeenChannel[]> =>
  withShownSettings(
    sql,
    await sql<SeenChannel[]>`
    SELECT ${channelColumns(sql)}, ${activityColumns(sql)},
      p.user_id IS NOT NULL AS is_subscribed, c.xmin::text AS state, ${settingsColumns(sql)}
    FROM channels c
    ${which === 'all' ? sql`LEFT JOIN` : sql`JOIN`} subscription_periods p
      ON p.channel_id = c.id AND p.user_id = ${userId} AND p.to_version IS NULL
    LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = ${userId}
    ${activityJoin(sql)}
    WHERE c.realm_id = ${realmId}
    ORDER BY lower(c.name)`,
  )

/** All of them, for the sections of one registration. */
export const channelsInSnapshot = oncePerSnapshot((sql, realmId: number, userId: number) =>
  channelsSeenBy(sql, realmId, userId, 'all'),
)

/**
 * Gives each new pair the first settings of its channel; who was there before finds the old ones again.
 *
 * @returns the settings of those who had some already.
 */
export const giveSettings = async (
  sql: Queries,
  memberships: readonly Membership[],
  first: ReadonlyMap<number, SubscriptionSettings>,
): Promise<(Membership & SubscriptionSettings)[]> => {
  const channels = memberships.map((pair) => pair.channel_id)
  const users = memberships.map((pair) => pair.user_id)
  const ids = [...first.keys()]
  const made = await sql<Membership[]>`
    INSERT INTO subscriptions (user_id, channel_id, color, push_notifications)
    SELECT pair.user_id, pair.channel_id, first.color, nullif(first.push, 0)::int::boolean
    FROM unnest(${users}::bigint[], ${channels}::bigint[]) AS pair(user_id, channel_id)
    JOIN unnest(${ids}::bigint[], ${ids.map((id) => first.get(id)!.color)}::text[],
      ${ids.map((id) => (first.get(id)!.push_notifications === true ? 1 : 0))}::int[]) AS first(channel_id, color, push)
      USING (channel_id)
    ORDER BY pair.user_id, pair.channel_id
    ON CONFLICT (user_id, channel_id) DO NOTHING
    RETURNING user_id, channel_id`
  if (made.length === memberships.length) return []
  return sql<(Membership & SubscriptionSettings)[]>`
    SELECT s.channel_id, s.user_id, ${settingsColumns(sql)}
    FROM unnest(${users}::bigint[], ${channels}::bigint[]) AS pair(user_id, channel_id)
    JOIN subscriptions s USING (user_id, channel_id)
    WHERE NOT EXISTS (
      SELECT FROM unnest(${made.map((pair) => pair.user_id)}::bigint[],
        ${made.map((pair) => pair.channel_id)}::bigint[]) AS fresh(user_id, channel_id)
      WHERE fresh.user_id = s.user_id AND fresh.channel_id = s.channel_id)`
}

/** Changes what a user set for a subscribed channel; nothing where there are no settings. */
export const changeSettings = async (
  sql: Queries,
  userId: number,
  channelId: number,
  change: Partial<SubscriptionSettings>,
): Promise<void> => {
  await sql`UPDATE subscriptions SET ${sql(change)} WHERE user_id = ${userId} AND channel_id = ${channelId}`
}

/** IDs of the channels of an organization that a user is subscribed to. */
export const channelsOfUser = async (sql: Queries, realmId: number, userId: number): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT c.id FROM subscription_periods p JOIN channels c ON c.id = p.channel_id
    WHERE p.user_id = ${userId} AND p.to_version IS NULL AND c.realm_id = ${realmId} ORDER BY c.id`
  return rows.map((row) => row.id)
}

/** The active subscribers of a channel, those with the same settings together. */
export const settingsInChannel = async (
  sql: Queries,
  channelId: number,
): Promise<{ users: number[]; settings: SubscriptionSettings }[]> => {
  const rows = await sql<(SubscriptionSettings & { users: number[] })[]>`
    SELECT to_jsonb(array_agg(p.user_id ORDER BY p.user_id)) AS users, ${settingsColumns(sql)}
    FROM subscription_periods p
    JOIN subscriptions s ON s.channel_id = p.channel_id AND s.user_id = p.user_id
    LEFT JOIN users u ON u.id = p.user_id
    WHERE p.channel_id = ${channelId} AND p.to_version IS NULL AND coalesce(u.is_active, true)
    GROUP BY ${settingsColumns(sql)}`
  return rows.map(({ users, ...settings }) => ({ users, settings }))
}

/** Who may know of a channel without being subscribed to it: a condition on `users u`, the same as mayKnowChannel. */
const mayKnow = (
  sql: Queries,
  realm: Realm,
  {
    invite_only,
    is_web_public,
    group_settings,
  }: Pick<ChannelRow, 'invite_only' | 'is_web_public' | 'group_settings'>,
) => {
  if (is_web_public) return sql`true`
  if (!invite_only) return sql`u.role <= 400`
  const { can_administer_channel_group, can_add_subscribers_group, can_subscribe_group } = group_settings
  const values = [can_administer_channel_group, can_add_subscribers_group, can_subscribe_group]
  return sql`(u.role <= 200 OR (u.role <= 400 AND ${isNamedBy(sql, realm, values)}))`
}

/** What of a channel decides who may know of it. */
type Visible = Pick<ChannelRow, 'id' | 'invite_only' | 'is_web_public' | 'group_settings'>

/** Active users who may know of a channel whether they are subscribed to it or not. */
const strangersWhoKnow = async (sql: Queries, realm: Realm, channel: Visible): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT u.id FROM users u WHERE u.realm_id = ${realm.id} AND u.is_active AND ${mayKnow(sql, realm, channel)}`
  return rows.map((row) => row.id)
}

/** The same for several channels; those that are public are known to the same people. */
export const strangersByChannel = async (
  sql: Queries,
  realm: Realm,
  channels: readonly Visible[],
): Promise<Map<number, readonly number[]>> => {
  const found = new Map<number, readonly number[]>()
  const shared = new Map<string, readonly number[]>()
  for (const channel of channels) {
    const { is_web_public, invite_only, group_settings } = channel
    const key = JSON.stringify([is_web_public, invite_only, invite_only ? group_settings : null])
    const known = shared.get(key) ?? (await strangersWhoKnow(sql, realm, channel))
    shared.set(key, known)
    found.set(channel.id, known)
  }
  return found
}

/** Active users who may know of a channel and see its members. */
export const viewersOf = async (sql: Queries, realm: Realm, channel: Visible): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT u.id FROM users u WHERE u.realm_id = ${realm.id} AND u.is_active AND ${mayKnow(sql, realm, channel)}
    UNION
    SELECT user_id FROM subscription_periods WHERE channel_id = ${channel.id} AND to_version IS NULL`
  return rows.map((row) => row.id)
}

/** Private channels that are known to a group, or to one that it is in, however deep. */
export const channelsSeenByGroup = (sql: Queries, realmId: number, groupId: number): Promise<ChannelRow[]> =>
  sql<ChannelRow[]>`
    WITH RECURSIVE above AS (
      SELECT ${groupId}::bigint AS id
      UNION
      SELECT s.group_id FROM above a JOIN group_subgroups s ON s.subgroup_id = a.id
    )
    SELECT ${channelColumns(sql)} FROM channels c
    WHERE c.realm_id = ${realmId} AND c.invite_only
      AND jsonb_path_exists(
        jsonb_build_array(
          c.group_settings -> 'can_administer_channel_group', c.group_settings -> 'can_add_subscribers_group',
          c.group_settings -> 'can_subscribe_group'),
        '$[*] ? (@ == $ids[*] || @.direct_subgroups[*] == $ids[*])',
        jsonb_build_object('ids', (SELECT jsonb_agg(above.id) FROM above)))
    ORDER BY c.id`
