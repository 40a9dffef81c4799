import type { ChannelActivity, ChannelRow } from '../channels/channel-store.ts'
import { activityJoin, channelColumns } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import { isNamedBy } from '../permissions/group-store.ts'
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
  ChannelActivity & { is_subscribed: boolean } & (
    | SubscriptionSettings
    | { [K in keyof SubscriptionSettings]: null }
  )

/**
 * An organization's channels (`subscribed`: only those that the user is in now) with what the user set for them, by
 * name. Which of them the user may know of is for `mayKnowChannel` to say.
 */
export const channelsSeenBy = (
  sql: Queries,
  realmId: number,
  userId: number,
  which: 'all' | 'subscribed',
): Promise<SeenChannel[]> =>
  sql<SeenChannel[]>`
    SELECT ${channelColumns(sql)}, first.first_message_id, newest.last_message_at,
      p.user_id IS NOT NULL AS is_subscribed, ${settingsColumns(sql)}
    FROM channels c
    ${which === 'all' ? sql`LEFT JOIN` : sql`JOIN`} subscription_periods p
      ON p.channel_id = c.id AND p.user_id = ${userId} AND p.to_version IS NULL
    LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = ${userId}
    ${activityJoin(sql)}
    WHERE c.realm_id = ${realmId}
    ORDER BY lower(c.name)`

/**
 * Gives each new pair its settings, with the color of its channel; who was there before finds the old ones again.
 *
 * @returns the settings of those who had some already.
 */
export const giveSettings = async (
  sql: Queries,
  memberships: readonly Membership[],
  colorOf: (channelId: number) => string,
): Promise<(Membership & SubscriptionSettings)[]> => {
  const channels = memberships.map((pair) => pair.channel_id)
  const users = memberships.map((pair) => pair.user_id)
  const made = await sql<Membership[]>`
    INSERT INTO subscriptions (user_id, channel_id, color)
    SELECT user_id, channel_id, color
    FROM unnest(${users}::bigint[], ${channels}::bigint[], ${channels.map(colorOf)}::text[])
      AS pair(user_id, channel_id, color)
    ORDER BY user_id, channel_id
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

/** Active users who may know of a channel whether they are subscribed to it or not. */
export const strangersWhoKnow = async (
  sql: Queries,
  realm: Realm,
  channel: Pick<ChannelRow, 'invite_only' | 'is_web_public' | 'group_settings'>,
): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT u.id FROM users u WHERE u.realm_id = ${realm.id} AND u.is_active AND ${mayKnow(sql, realm, channel)}`
  return rows.map((row) => row.id)
}

/** Active users who may know of a channel and see its members. */
export const viewersOf = async (
  sql: Queries,
  realm: Realm,
  channel: Pick<ChannelRow, 'id' | 'invite_only' | 'is_web_public' | 'group_settings'>,
): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT u.id FROM users u WHERE u.realm_id = ${realm.id} AND u.is_active AND ${mayKnow(sql, realm, channel)}
    UNION
    SELECT user_id FROM subscription_periods WHERE channel_id = ${channel.id} AND to_version IS NULL`
  return rows.map((row) => row.id)
}
