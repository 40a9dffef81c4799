import { limits } from '@parley/contracts'
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
