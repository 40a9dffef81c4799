import type { Queries } from '../room.ts'

/** The newest message of each of some topics, by their names in any case; of those that have any. */
export const newestOfTopics = async (
  sql: Queries,
  topics: readonly { readonly channelId: number; readonly topic: string }[],
): Promise<{ channel_id: number; topic: string; id: number }[]> =>
  sql<{ channel_id: number; topic: string; id: number }[]>`
    SELECT t.channel_id, t.topic, newest.id
    FROM unnest(${topics.map((one) => one.channelId)}::bigint[], ${topics.map((one) => one.topic)}::text[])
      AS t(channel_id, topic)
    CROSS JOIN LATERAL (
      SELECT m.id FROM messages m
      WHERE m.channel_id = t.channel_id AND lower(m.topic) = lower(t.topic)
      ORDER BY m.id DESC LIMIT 1) newest`
