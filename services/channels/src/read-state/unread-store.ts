import { flagBits } from '../messages/message-flags.ts'
import { isInMutedPlace } from '../narrows/visibility.ts'
import type { Queries } from '../room.ts'

/** Where an unread message is, and whether it calls for its reader. */
export interface UnreadMessage {
  readonly id: number
  readonly channel_id: number | null
  readonly topic: string
  /** Of a direct conversation, ascending. */
  readonly user_ids: readonly number[] | null
  readonly is_muted: boolean
  readonly is_mentioned: boolean
  readonly is_wildcard_mentioned: boolean
}

/** By ID. */
export const unreadMessages = (
  sql: Queries,
  userId: number,
  ids: readonly number[],
): Promise<UnreadMessage[]> =>
  sql<UnreadMessage[]>`
    SELECT m.id, m.channel_id, m.topic, v.user_ids, ${isInMutedPlace(sql, userId)} AS is_muted,
      coalesce(f.flags, 0) & ${flagBits.mentioned} <> 0 AS is_mentioned,
      (coalesce(f.flags, 0) | m.shared_flags)
        & ${flagBits.stream_wildcard_mentioned | flagBits.topic_wildcard_mentioned} <> 0 AS is_wildcard_mentioned
    FROM messages m
    LEFT JOIN message_flags f ON f.user_id = ${userId} AND f.message_id = m.id
    LEFT JOIN conversations v ON m.channel_id IS NULL AND v.recipient_id = m.recipient_id
    WHERE m.id = ANY (${[...ids]}::bigint[])
    ORDER BY m.id`
