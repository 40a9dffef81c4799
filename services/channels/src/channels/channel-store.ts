import type { ChannelPermission } from '@parley/contracts/objects/channel'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import type { Queries } from '../room.ts'

export type GroupSettings = Readonly<Record<ChannelPermission, GroupSettingValue>>

/** A channel as stored. */
export interface ChannelRow {
  readonly id: number
  readonly realm_id: number
  readonly recipient_id: number
  readonly name: string
  readonly description: string
  readonly rendered_description: string
  /** UNIX seconds. */
  readonly date_created: number
  readonly creator_id: number | null
  readonly is_archived: boolean
  readonly invite_only: boolean
  readonly is_web_public: boolean
  readonly history_public_to_subscribers: boolean
  readonly message_retention_days: number | null
  readonly default_push_notifications: boolean
  readonly topics_policy: 'inherit' | 'allow_empty_topic' | 'disable_empty_topic' | 'empty_topic_only'
  readonly folder_id: number | null
  readonly group_settings: GroupSettings
  readonly subscriber_count: number
  readonly membership_version: number
  readonly version: number
}

/** What is known of a channel's messages. */
export interface ChannelActivity {
  readonly first_message_id: number | null
  /** UNIX seconds. */
  readonly last_message_at: number | null
}

export const channelColumns = (sql: Queries) => sql`
  c.id, c.realm_id, c.recipient_id, c.name, c.description, c.rendered_description,
  floor(extract(epoch FROM c.created_at))::bigint AS date_created, c.creator_id, c.is_archived, c.invite_only,
  c.is_web_public, c.history_public_to_subscribers, c.message_retention_days, c.default_push_notifications,
  c.topics_policy, c.folder_id, c.group_settings, c.subscriber_count, c.membership_version, c.version`

/** Two probes of the conversation's index per channel `c`; to be joined to it. */
export const activityJoin = (sql: Queries) => sql`
  CROSS JOIN LATERAL (
    SELECT min(m.id) AS first_message_id FROM messages m WHERE m.recipient_id = c.recipient_id
  ) first
  LEFT JOIN LATERAL (
    SELECT floor(extract(epoch FROM m.sent_at))::bigint AS last_message_at FROM messages m
    WHERE m.recipient_id = c.recipient_id ORDER BY m.id DESC LIMIT 1
  ) newest ON true`

export const channelById = async (
  sql: Queries,
  realmId: number,
  id: number,
): Promise<ChannelRow | undefined> => {
  const [channel] = await sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c WHERE c.realm_id = ${realmId} AND c.id = ${id}`
  return channel
}

/** By names, whatever the case (as the database's unique index sees it). */
export const channelsByNames = (
  sql: Queries,
  realmId: number,
  names: readonly string[],
): Promise<ChannelRow[]> =>
  sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c
    WHERE c.realm_id = ${realmId} AND lower(c.name) IN (SELECT lower(sought) FROM unnest(${[...names]}::text[]) AS sought)
    ORDER BY c.id`

/** The same, holding each row against other changes until the end of the transaction; in the order of IDs. */
export const lockChannelsByNames = (
  sql: Queries,
  realmId: number,
  names: readonly string[],
): Promise<ChannelRow[]> =>
  sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c
    WHERE c.realm_id = ${realmId} AND lower(c.name) IN (SELECT lower(sought) FROM unnest(${[...names]}::text[]) AS sought)
    ORDER BY c.id FOR NO KEY UPDATE`

export interface NewChannel {
  readonly name: string
  readonly description: string
  readonly rendered_description: string
}

/**
 * Makes those channels whose names are free, in the order of their names (two callers that make the same ones wait
 * for each other instead of blocking each other).
 *
 * @returns IDs of the channels made.
 */
export const insertChannels = async (
  sql: Queries,
  shared: Pick<
    ChannelRow,
    'realm_id' | 'creator_id' | 'invite_only' | 'history_public_to_subscribers' | 'group_settings'
  >,
  channels: readonly NewChannel[],
): Promise<Set<number>> => {
  const made = await sql<{ id: number }[]>`
    INSERT INTO channels (
      realm_id, name, description, rendered_description, creator_id, invite_only, history_public_to_subscribers,
      group_settings)
    SELECT ${shared.realm_id}, n.name, n.description, n.rendered_description, ${shared.creator_id}::bigint,
      ${shared.invite_only}, ${shared.history_public_to_subscribers},
      ${JSON.stringify(shared.group_settings)}::text::jsonb
    FROM unnest(
      ${channels.map((channel) => channel.name)}::text[],
      ${channels.map((channel) => channel.description)}::text[],
      ${channels.map((channel) => channel.rendered_description)}::text[]
    ) AS n(name, description, rendered_description)
    ORDER BY lower(n.name)
    ON CONFLICT (realm_id, lower(name)) DO NOTHING
    RETURNING id`
  return new Set(made.map((channel) => channel.id))
}

export const activityOf = (
  sql: Queries,
  channelIds: readonly number[],
): Promise<(ChannelActivity & { id: number })[]> =>
  sql<(ChannelActivity & { id: number })[]>`
    SELECT c.id, first.first_message_id, newest.last_message_at
    FROM channels c ${activityJoin(sql)} WHERE c.id = ANY (${[...channelIds]}::bigint[])`
