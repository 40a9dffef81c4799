/** Notices that are news only for who wants to hear of them: that a topic was resolved, or is not any more. */
import type { Queries } from '../room.ts'

/** Subscribers who want to hear that a topic was resolved: always, or because they follow it, as they chose. */
export const newsFor = async (sql: Queries, channelId: number, topic: string): Promise<number[]> => {
  const rows = await sql<{ user_id: number }[]>`
    SELECT p.user_id FROM subscription_periods p
    LEFT JOIN personal o ON o.user_id = p.user_id
    LEFT JOIN user_topics t ON t.user_id = p.user_id AND t.channel_id = p.channel_id AND lower(t.topic) = lower(${topic})
    WHERE p.channel_id = ${channelId} AND p.to_version IS NULL
      AND CASE coalesce(o.settings ->> 'resolved_topic_notice_auto_read_policy', 'except_followed')
        WHEN 'never' THEN true
        WHEN 'always' THEN false
        ELSE coalesce(t.visibility_policy = 3, false) END
    ORDER BY p.user_id`
  return rows.map((row) => row.user_id)
}

/** Makes a message read for all but some, who received it. */
export const makeQuiet = async (sql: Queries, messageId: number, users: readonly number[]): Promise<void> => {
  await sql`UPDATE messages SET is_quiet = true WHERE id = ${messageId}`
  await sql`
    INSERT INTO read_exceptions (user_id, recipient_id, message_id, is_read)
    SELECT reader.id, m.recipient_id, m.id, false
    FROM messages m CROSS JOIN unnest(${[...users]}::bigint[]) AS reader(id)
    WHERE m.id = ${messageId} ORDER BY reader.id`
}
