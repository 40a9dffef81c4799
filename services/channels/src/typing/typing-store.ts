import { limits, type Role } from '@parley/contracts'
import { type HistoryRules, mayReadMessage } from '../messages/message-access.ts'
import type { Queries } from '../room.ts'

/** One more than are told: so that "too many" is seen without reading them all. */
const enough = limits.maxSubscribersForTyping + 1

/** Whom typing in a channel is told: its active subscribers where they are few, else nobody. */
export const typingListeners = async (sql: Queries, channelId: number): Promise<number[]> => {
  const rows = await sql<{ user_id: number }[]>`
    SELECT p.user_id
    FROM subscription_periods p LEFT JOIN users u ON u.id = p.user_id
    WHERE p.channel_id = ${channelId} AND p.to_version IS NULL AND coalesce(u.is_active, true)
    LIMIT ${enough}`
  return rows.length === enough ? [] : rows.map((row) => row.user_id)
}

/** Whom the editing of a channel's message is told: those of {@link typingListeners} who may read it. */
export const editListeners = async (sql: Queries, messageId: number): Promise<number[]> => {
  const rows = await sql<(HistoryRules & { user_id: number; role: Role; was_recipient: boolean })[]>`
    SELECT p.user_id, coalesce(u.role, 600) AS role, c.invite_only, c.is_web_public, c.history_public_to_subscribers,
      EXISTS (
        SELECT FROM subscription_periods r
        WHERE r.channel_id = m.channel_id AND r.user_id = p.user_id AND r.from_version <= m.membership_version
          AND (r.to_version IS NULL OR r.to_version > m.membership_version)) AS was_recipient
    FROM messages m
    JOIN channels c ON c.id = m.channel_id
    JOIN subscription_periods p ON p.channel_id = m.channel_id AND p.to_version IS NULL
    LEFT JOIN users u ON u.id = p.user_id
    WHERE m.id = ${messageId} AND coalesce(u.is_active, true)
    LIMIT ${enough}`
  if (rows.length === enough) return []
  const readers = rows.filter((row) =>
    mayReadMessage({ id: row.user_id, role: row.role }, row, {
      isSubscribed: true,
      wasRecipient: row.was_recipient,
    }),
  )
  return readers.map((row) => row.user_id)
}
