import type { Submessage } from '@parley/contracts/objects/message'
import type { z } from 'zod'
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

/** The first submessage of a message, which is the widget itself; undefined for a message without one. */
export const widgetOf = async (
  sql: Queries,
  messageId: number,
): Promise<z.infer<typeof Submessage> | undefined> => {
  const [first] = await sql<z.infer<typeof Submessage>[]>`
    SELECT id, message_id, sender_id, msg_type, content FROM submessages
    WHERE message_id = ${messageId} ORDER BY id LIMIT 1`
  return first
}

/** The submessages of message `m`, oldest first, as JSON; null when there are none. */
export const submessagesAsJson = (sql: Queries) => sql`(
  SELECT json_agg(json_build_object('id', s.id, 'message_id', s.message_id, 'sender_id', s.sender_id,
    'msg_type', s.msg_type, 'content', s.content) ORDER BY s.id)
  FROM submessages s WHERE s.message_id = m.id)`
