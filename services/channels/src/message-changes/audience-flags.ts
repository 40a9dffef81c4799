/** The flags that a message has for each of those who are told of its change. */
import { flagBits, flagNames } from '../messages/message-flags.ts'
import type { Queries } from '../room.ts'

/** People for whom a message is read, or unread; and which of them see it with flags of their own. */
export interface FlagGroup {
  readonly userIds: readonly number[]
  readonly flags: string[]
  readonly personal: Record<string, { flags: string[] }>
}

interface Row {
  readonly user_id: number
  readonly own: number
  readonly is_read: boolean
}

/**
 * Two groups at most, so that one event serves all who have read the message, and another those who have not.
 * `sharedFlags` are those of everybody.
 */
export const flagGroups = async (
  sql: Queries,
  messageId: number,
  sharedFlags: number,
  userIds: readonly number[],
): Promise<FlagGroup[]> => {
  const rows = await sql<Row[]>`
    SELECT u.id AS user_id, coalesce(f.flags, 0) AS own,
      coalesce(e.is_read, k.read_up_to >= m.id, false)
        OR (e.is_read IS NULL AND (m.sender_id = u.id AND m.read_by_sender OR m.is_quiet OR s.user_id IS NOT NULL)) AS is_read
    FROM messages m CROSS JOIN unnest(${[...userIds]}::bigint[]) AS u(id)
    LEFT JOIN message_flags f ON f.user_id = u.id AND f.message_id = m.id
    LEFT JOIN read_marks k ON k.user_id = u.id AND k.recipient_id = m.recipient_id
    LEFT JOIN read_exceptions e
      ON e.user_id = u.id AND e.recipient_id = m.recipient_id AND e.message_id = m.id
    LEFT JOIN muted_senders s ON s.user_id = u.id AND s.sender_id = m.sender_id AND m.id <= s.read_up_to
    WHERE m.id = ${messageId}
    ORDER BY u.id`
  return [true, false].flatMap((isRead) => {
    const members = rows.filter((row) => row.is_read === isRead)
    if (members.length === 0) return []
    const read = isRead ? flagBits.read : 0
    const exceptional = members.filter((row) => row.own !== 0)
    return [
      {
        userIds: members.map((row) => row.user_id),
        flags: flagNames(sharedFlags | read),
        personal: Object.fromEntries(
          exceptional.map((row) => [row.user_id, { flags: flagNames(row.own | sharedFlags | read) }]),
        ),
      },
    ]
  })
}
