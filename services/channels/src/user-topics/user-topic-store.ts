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
            visibility_policy = excluded.visibility_policy, updated_at = now()
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
