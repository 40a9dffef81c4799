import type { Queries } from '../room.ts'

/** @returns the submessage's ID. */
export const insertSubmessage = async (
  sql: Queries,
  given: { messageId: number; senderId: number; msgType: string; content: string },
): Promise<number> => {
  const [row] = await sql<{ id: number }[]>`
    INSERT INTO submessages (message_id, sender_id, msg_type, content)
    VALUES (${given.messageId}, ${given.senderId}, ${given.msgType}, ${given.content}) RETURNING id`
  await sql`UPDATE messages SET has_submessage = true WHERE id = ${given.messageId} AND NOT has_submessage`
  return row!.id
}
