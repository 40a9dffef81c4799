import type { Queries } from '../room.ts'

/** Everybody who has written in a topic: whom a mention of the topic is for. */
export const topicParticipants = async (
  sql: Queries,
  channelId: number,
  topic: string,
): Promise<number[]> => {
  const rows = await sql<{ sender_id: number }[]>`
    SELECT DISTINCT sender_id FROM messages WHERE channel_id = ${channelId} AND lower(topic) = lower(${topic})`
  return rows.map((row) => row.sender_id)
}
