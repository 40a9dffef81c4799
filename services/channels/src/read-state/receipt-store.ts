import type { Queries } from '../room.ts'

/**
 * Who received a message and has read it, as far as they let others know: without its sender, and without whom the asker
 * muted, or who muted the asker.
 */
export const readersOf = async (sql: Queries, messageId: number, askerId: number): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    WITH asked AS (
      SELECT m.* FROM messages m WHERE m.id = ${messageId}
    ), recipient AS (
      SELECT p.user_id FROM asked m JOIN subscription_periods p ON p.channel_id = coalesce(m.received_channel_id, m.channel_id)
        AND p.from_version <= coalesce(m.received_version, m.membership_version)
        AND (p.to_version IS NULL OR p.to_version > coalesce(m.received_version, m.membership_version))
      UNION ALL
      SELECT v.user_id FROM asked m JOIN conversations c ON m.channel_id IS NULL AND c.recipient_id = m.recipient_id
      CROSS JOIN unnest(c.user_ids) AS v(user_id)
    )
    SELECT r.user_id AS id FROM asked m CROSS JOIN recipient r
    JOIN users u ON u.id = r.user_id AND u.is_active
    LEFT JOIN read_marks k ON k.user_id = r.user_id AND k.recipient_id = m.recipient_id
    LEFT JOIN read_exceptions e
      ON e.user_id = r.user_id AND e.recipient_id = m.recipient_id AND e.message_id = m.id
    LEFT JOIN personal p ON p.user_id = r.user_id
    WHERE r.user_id <> m.sender_id AND coalesce(e.is_read, k.read_up_to >= m.id, false)
      AND coalesce(p.settings -> 'send_read_receipts', 'true') = 'true'
      AND NOT coalesce(p.muted_user_ids @> ARRAY[${askerId}]::bigint[], false)
      AND NOT EXISTS (
        SELECT FROM personal own WHERE own.user_id = ${askerId} AND own.muted_user_ids @> ARRAY[r.user_id])
    ORDER BY r.user_id`
  return rows.map((row) => row.id)
}
