import type { UserTopic, VisibilityPolicy } from '@parley/contracts/objects/user-topic'
import type { Queries } from '../room.ts'

export type StoredUserTopic = UserTopic & { readonly channel_name: string }

/** What a user wants of topics; only of channels that still exist. */
export const userTopicsOf = (sql: Queries, userId: number): Promise<StoredUserTopic[]> =>
  sql<StoredUserTopic[]>`
    SELECT t.channel_id AS stream_id, t.topic AS topic_name, t.visibility_policy,
      floor(extract(epoch FROM t.updated_at))::bigint AS last_updated, c.name AS channel_name
    FROM user_topics t JOIN channels c ON c.id = t.channel_id
    WHERE t.user_id = ${userId} ORDER BY t.channel_id, lower(t.topic)`

/**
 * Sets what a user wants of one topic; 0 is nothing special.
 *
 * @returns when it changed, in UNIX seconds; undefined when it was so before.
 */
export const setUserTopic = async (
  sql: Queries,
  userId: number,
  channelId: number,
  topic: string,
  policy: VisibilityPolicy,
): Promise<number | undefined> => {
  const [changed] =
    policy === 0
      ? await sql<{ at: number }[]>`
          DELETE FROM user_topics
          WHERE user_id = ${userId} AND channel_id = ${channelId} AND lower(topic) = lower(${topic})
          RETURNING floor(extract(epoch FROM now()))::bigint AS at`
      : await sql<{ at: number }[]>`
          INSERT INTO user_topics AS t (user_id, channel_id, topic, visibility_policy)
          VALUES (${userId}, ${channelId}, ${topic}, ${policy})
          ON CONFLICT (user_id, channel_id, lower(topic)) DO UPDATE SET
            topic = excluded.topic, visibility_policy = excluded.visibility_policy, updated_at = now()
          WHERE t.visibility_policy <> excluded.visibility_policy
          RETURNING floor(extract(epoch FROM updated_at))::bigint AS at`
  return changed?.at
}

/** The policy that a user has for a topic; 0 when nothing special. */
export const userTopicPolicy = async (
  sql: Queries,
  userId: number,
  channelId: number,
  topic: string,
): Promise<VisibilityPolicy> => {
  const [found] = await sql<{ visibility_policy: VisibilityPolicy }[]>`
    SELECT visibility_policy FROM user_topics
    WHERE user_id = ${userId} AND channel_id = ${channelId} AND lower(topic) = lower(${topic})`
  return found?.visibility_policy ?? 0
}

/** Whether somebody is subscribed to a channel, and has muted it. */
export const isChannelMutedBy = async (sql: Queries, userId: number, channelId: number): Promise<boolean> =>
  (
    await sql`
      SELECT FROM subscriptions s JOIN subscription_periods p
        ON p.channel_id = s.channel_id AND p.user_id = s.user_id AND p.to_version IS NULL
      WHERE s.user_id = ${userId} AND s.channel_id = ${channelId} AND s.is_muted`
  ).count > 0

/** What anybody wants of one topic, by user; held until the end of the transaction. */
export const policiesOf = async (
  sql: Queries,
  channelId: number,
  topic: string,
): Promise<Map<number, VisibilityPolicy>> => {
  const rows = await sql<{ user_id: number; visibility_policy: VisibilityPolicy }[]>`
    SELECT user_id, visibility_policy FROM user_topics
    WHERE channel_id = ${channelId} AND lower(topic) = lower(${topic}) ORDER BY user_id FOR UPDATE`
  return new Map(rows.map((row) => [row.user_id, row.visibility_policy]))
}

export const dropPolicies = async (
  sql: Queries,
  channelId: number,
  topic: string,
  userIds: readonly number[],
): Promise<void> => {
  await sql`
    DELETE FROM user_topics
    WHERE channel_id = ${channelId} AND lower(topic) = lower(${topic}) AND user_id = ANY (${[...userIds]}::bigint[])`
}

/** Gives some people one policy for a topic; 0 is nothing special. */
export const setPolicies = async (
  sql: Queries,
  channelId: number,
  topic: string,
  userIds: readonly number[],
  policy: VisibilityPolicy,
): Promise<void> => {
  if (policy === 0) return dropPolicies(sql, channelId, topic, userIds)
  await sql`
    INSERT INTO user_topics (user_id, channel_id, topic, visibility_policy)
    SELECT id, ${channelId}, ${topic}, ${policy} FROM unnest(${[...userIds]}::bigint[]) AS id ORDER BY id
    ON CONFLICT (user_id, channel_id, lower(topic)) DO UPDATE SET
      topic = excluded.topic, visibility_policy = excluded.visibility_policy, updated_at = now()`
}

/** When what the transaction changes counts as changed. UNIX seconds. */
export const changedAt = async (sql: Queries): Promise<number> => {
  const [now] = await sql<[{ at: number }]>`SELECT floor(extract(epoch FROM now()))::bigint AS at`
  return now.at
}

/** As {@link userTopicsOf}, of several users. */
export const userTopicsOfAll = async (
  sql: Queries,
  userIds: readonly number[],
): Promise<Map<number, StoredUserTopic[]>> => {
  const rows = await sql<(StoredUserTopic & { user_id: number })[]>`
    SELECT t.user_id, t.channel_id AS stream_id, t.topic AS topic_name, t.visibility_policy,
      floor(extract(epoch FROM t.updated_at))::bigint AS last_updated, c.name AS channel_name
    FROM user_topics t JOIN channels c ON c.id = t.channel_id
    WHERE t.user_id = ANY (${[...userIds]}::bigint[]) ORDER BY t.user_id, t.channel_id, lower(t.topic)`
  return Map.groupBy(rows, (row) => row.user_id)
}
