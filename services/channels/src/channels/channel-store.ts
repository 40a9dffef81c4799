import { systemBots } from '@parley/contracts/identity/system-bots'
import type { ChannelPermission } from '@parley/contracts/objects/channel'
import type { GroupSettingValue } from '@parley/contracts/objects/values'
import { holdPeople } from '../directory/people-lock.ts'
import { eventsTopic } from '../notices/events-topic.ts'
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
  /** A message within half a year, or new (recent-activity/). */
  readonly is_recently_active: boolean
  readonly group_settings: GroupSettings
  readonly subscriber_count: number
  readonly membership_version: number
  readonly version: number
}

/** What is known of a channel's messages. */
export interface ChannelActivity {
  readonly first_message_id: number | null
  /** Messages counted of the last 28 days. */
  readonly recent_messages: number
}

export const channelColumns = (sql: Queries) => sql`
  c.id, c.realm_id, c.recipient_id, c.name, c.description, c.rendered_description,
  floor(extract(epoch FROM c.created_at))::bigint AS date_created, c.creator_id, c.is_archived, c.invite_only,
  c.is_web_public, c.history_public_to_subscribers, c.message_retention_days, c.default_push_notifications,
  c.topics_policy, c.folder_id, c.is_recently_active, c.group_settings, c.subscriber_count, c.membership_version, c.version`

/** A probe of the conversation's index, and the days counted, per channel `c`; to be joined to it. */
export const activityJoin = (sql: Queries) => sql`
  CROSS JOIN LATERAL (
    SELECT min(m.id) AS first_message_id FROM messages m WHERE m.recipient_id = c.recipient_id
  ) first
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(t.messages), 0)::int AS recent_messages FROM channel_traffic t
    WHERE t.channel_id = c.id AND t.day > current_date - 28
  ) traffic`

export const activityColumns = (sql: Queries) => sql`first.first_message_id, traffic.recent_messages`

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

/**
 * The same, holding each row against other changes until the end of the transaction, in the order of IDs; and before that
 * the organization's people, as whoever locks channels does.
 */
export const lockChannelsByNames = async (
  sql: Queries,
  realmId: number,
  names: readonly string[],
): Promise<ChannelRow[]> => {
  await holdPeople(sql, realmId)
  return sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c
    WHERE c.realm_id = ${realmId} AND lower(c.name) IN (SELECT lower(sought) FROM unnest(${[...names]}::text[]) AS sought)
    ORDER BY c.id FOR NO KEY UPDATE`
}

/** The same by ID. */
export const lockChannel = async (
  sql: Queries,
  realmId: number,
  id: number,
): Promise<ChannelRow | undefined> => {
  await holdPeople(sql, realmId)
  const [channel] = await sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c
    WHERE c.realm_id = ${realmId} AND c.id = ${id} FOR NO KEY UPDATE`
  return channel
}

export const channelsByIds = (sql: Queries, realmId: number, ids: readonly number[]): Promise<ChannelRow[]> =>
  sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c
    WHERE c.realm_id = ${realmId} AND c.id = ANY (${[...ids]}::bigint[]) ORDER BY c.id`

/** The same, held against changes of who is subscribed, and of the channels, until the end of the transaction. */
export const holdChannels = (sql: Queries, realmId: number, ids: readonly number[]): Promise<ChannelRow[]> =>
  sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c
    WHERE c.realm_id = ${realmId} AND c.id = ANY (${[...ids]}::bigint[]) ORDER BY c.id FOR SHARE`

/** Channels with a setting that names an account one by one, by ID. */
export const channelsNaming = (sql: Queries, realmId: number, userId: number): Promise<ChannelRow[]> =>
  sql<ChannelRow[]>`
    SELECT ${channelColumns(sql)} FROM channels c
    WHERE c.realm_id = ${realmId} AND jsonb_path_exists(
      c.group_settings, '$.*.direct_members[*] ? (@ == $id)', jsonb_build_object('id', ${userId}::bigint))
    ORDER BY c.id`

/** Holds channels of an organization against changes of who is subscribed; in the order of IDs. */
export const lockChannels = async (sql: Queries, realmId: number, ids: readonly number[]): Promise<void> => {
  await holdPeople(sql, realmId)
  await sql`SELECT FROM channels WHERE id = ANY (${[...ids]}::bigint[]) ORDER BY id FOR NO KEY UPDATE`
}

export interface NewChannel {
  readonly name: string
  readonly description: string
  readonly rendered_description: string
}

/** What channels that are made together share. */
export type SharedByNewChannels = Pick<
  ChannelRow,
  | 'realm_id'
  | 'creator_id'
  | 'invite_only'
  | 'is_web_public'
  | 'history_public_to_subscribers'
  | 'message_retention_days'
  | 'default_push_notifications'
  | 'topics_policy'
  | 'folder_id'
  | 'group_settings'
>

/**
 * Makes those channels whose names are free, in the order of their names (two callers that make the same ones wait
 * for each other instead of blocking each other).
 *
 * @returns IDs of the channels made.
 */
export const insertChannels = async (
  sql: Queries,
  shared: SharedByNewChannels,
  channels: readonly NewChannel[],
): Promise<Set<number>> => {
  if (channels.length === 0) return new Set()
  const made = await sql<{ id: number }[]>`
    INSERT INTO channels (
      realm_id, name, description, rendered_description, creator_id, invite_only, is_web_public,
      history_public_to_subscribers, message_retention_days, default_push_notifications, topics_policy, folder_id,
      group_settings)
    SELECT ${shared.realm_id}, n.name, n.description, n.rendered_description, ${shared.creator_id}::bigint,
      ${shared.invite_only}, ${shared.is_web_public}, ${shared.history_public_to_subscribers},
      ${shared.message_retention_days}::integer, ${shared.default_push_notifications}, ${shared.topics_policy},
      ${shared.folder_id}::bigint, ${JSON.stringify(shared.group_settings)}::text::jsonb
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

/** What of a channel can be changed after it was made. */
export type ChannelChanges = {
  -readonly [K in
    | 'name'
    | 'description'
    | 'rendered_description'
    | 'is_archived'
    | Exclude<keyof SharedByNewChannels, 'realm_id' | 'creator_id'>]?: ChannelRow[K]
}

/** Writes changes of a channel, whose row is locked by the caller; senders look at it again. */
export const changeChannel = async (
  sql: Queries,
  channel: ChannelRow,
  changes: ChannelChanges,
): Promise<ChannelRow> => {
  const { group_settings, ...columns } = { ...channel, ...changes }
  await sql`
    UPDATE channels SET
      name = ${columns.name}, description = ${columns.description},
      rendered_description = ${columns.rendered_description}, is_archived = ${columns.is_archived},
      invite_only = ${columns.invite_only}, is_web_public = ${columns.is_web_public},
      history_public_to_subscribers = ${columns.history_public_to_subscribers},
      message_retention_days = ${columns.message_retention_days},
      default_push_notifications = ${columns.default_push_notifications}, topics_policy = ${columns.topics_policy},
      folder_id = ${columns.folder_id}, group_settings = ${JSON.stringify(group_settings)}::text::jsonb,
      version = version + 1
    WHERE id = ${channel.id}`
  return { ...columns, group_settings, version: channel.version + 1 }
}

/**
 * Whether all of a channel's messages are in the topic without a name, but for what the notification bot said about the
 * channel itself.
 */
export const hasOnlyEmptyTopic = async (sql: Queries, channelId: number): Promise<boolean> => {
  const named = await sql`
    SELECT FROM messages
    WHERE channel_id = ${channelId} AND lower(topic) > ''
      AND NOT (sender_id = ${systemBots.notification.id} AND topic = ${eventsTopic})
    LIMIT 1`
  return named.count === 0
}

export const activityOf = (
  sql: Queries,
  channelIds: readonly number[],
): Promise<(ChannelActivity & { id: number })[]> =>
  sql<(ChannelActivity & { id: number })[]>`
    SELECT c.id, ${activityColumns(sql)}
    FROM channels c ${activityJoin(sql)} WHERE c.id = ANY (${[...channelIds]}::bigint[])`

/** The oldest message of a conversation; null when there is none. */
export const firstMessageOf = async (sql: Queries, recipientId: number): Promise<number | null> => {
  const [first] = await sql<{ id: number | null }[]>`
    SELECT min(id) AS id FROM messages WHERE recipient_id = ${recipientId}`
  return first!.id
}
