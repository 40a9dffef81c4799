import type { ChannelRow } from '../channels/channel-store.ts'
import type { Queries } from '../room.ts'

/** A topic as its newest message spells it. */
export interface TopicRow {
  readonly max_id: number
  readonly topic: string
}

/** All topics of a channel, newest first: a probe of the index per topic, however many messages it has. */
export const topicsOf = (sql: Queries, channelId: number): Promise<TopicRow[]> =>
  sql<TopicRow[]>`
    WITH RECURSIVE topics AS (
      (SELECT lower(topic) AS key FROM messages WHERE channel_id = ${channelId} ORDER BY lower(topic) LIMIT 1)
      UNION ALL
      SELECT (
        SELECT lower(m.topic) FROM messages m
        WHERE m.channel_id = ${channelId} AND lower(m.topic) > topics.key ORDER BY lower(m.topic) LIMIT 1)
      FROM topics WHERE topics.key IS NOT NULL
    )
    SELECT newest.id AS max_id, newest.topic FROM topics CROSS JOIN LATERAL (
      SELECT m.id, m.topic FROM messages m
      WHERE m.channel_id = ${channelId} AND lower(m.topic) = topics.key ORDER BY m.id DESC LIMIT 1
    ) newest
    WHERE topics.key IS NOT NULL
    ORDER BY newest.id DESC`

/** Topics of those messages of a channel that were sent to somebody, newest first. */
export const topicsSentTo = (
  sql: Queries,
  channel: Pick<ChannelRow, 'id' | 'recipient_id'>,
  readerId: number,
): Promise<TopicRow[]> =>
  sql<TopicRow[]>`
    SELECT id AS max_id, topic FROM (
      SELECT DISTINCT ON (lower(m.topic)) m.id, m.topic
      FROM subscription_periods p JOIN messages m
        ON m.recipient_id = ${channel.recipient_id} AND m.id > p.after_message_id
        AND (p.until_message_id IS NULL OR m.id <= p.until_message_id)
        AND m.membership_version >= p.from_version
        AND (p.to_version IS NULL OR m.membership_version < p.to_version)
      WHERE p.channel_id = ${channel.id} AND p.user_id = ${readerId}
      ORDER BY lower(m.topic), m.id DESC
    ) newest ORDER BY id DESC`

/**
 * The newest messages of a topic, by ID from the newest on; `receiverId`: only those that were sent to this account, as
 * where the history is protected.
 */
export const newestInTopic = async (
  sql: Queries,
  channelId: number,
  topic: string,
  receiverId: number | undefined,
  limit: number,
): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT m.id FROM messages m
    WHERE m.channel_id = ${channelId} AND lower(m.topic) = lower(${topic})
    ${
      receiverId === undefined
        ? sql``
        : sql`
          AND EXISTS (
            SELECT FROM subscription_periods p
            WHERE p.channel_id = m.channel_id AND p.user_id = ${receiverId}
              AND p.from_version <= m.membership_version
              AND (p.to_version IS NULL OR p.to_version > m.membership_version))`
    }
    ORDER BY m.id DESC LIMIT ${limit}`
  return rows.map((row) => row.id)
}
