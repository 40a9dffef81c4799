import type { Reaction } from '@parley/contracts/objects/message'
import type { z } from 'zod'
import type { Queries } from '../room.ts'
import type { Emoji } from './emoji-rules.ts'

type StoredReaction = z.infer<typeof Reaction>

/** A message's reactions, oldest first. */
export const reactionsTo = async (sql: Queries, messageId: number): Promise<StoredReaction[]> => [
  ...(await sql<StoredReaction[]>`
    SELECT emoji_name, emoji_code, reaction_type, user_id FROM reactions
    WHERE message_id = ${messageId} ORDER BY id`),
]

/** @returns false when the user had reacted so already. */
export const insertReaction = async (
  sql: Queries,
  messageId: number,
  userId: number,
  emoji: Emoji,
): Promise<boolean> => {
  const made = await sql`
    INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
    VALUES (${messageId}, ${userId}, ${emoji.reaction_type}, ${emoji.emoji_code}, ${emoji.emoji_name})
    ON CONFLICT DO NOTHING RETURNING id`
  if (made.length === 0) return false
  await sql`UPDATE messages SET has_reaction = true WHERE id = ${messageId} AND NOT has_reaction`
  return true
}

export const deleteReaction = async (
  sql: Queries,
  messageId: number,
  userId: number,
  emoji: Emoji,
): Promise<void> => {
  await sql`
    DELETE FROM reactions WHERE message_id = ${messageId} AND user_id = ${userId}
      AND reaction_type = ${emoji.reaction_type} AND emoji_code = ${emoji.emoji_code}`
  await sql`
    UPDATE messages SET has_reaction = false
    WHERE id = ${messageId} AND NOT EXISTS (SELECT FROM reactions WHERE message_id = ${messageId})`
}

/** The reactions to message `m`, oldest first, as JSON; null when there are none. */
export const reactionsAsJson = (sql: Queries) => sql`(
  SELECT json_agg(json_build_object('emoji_name', r.emoji_name, 'emoji_code', r.emoji_code,
    'reaction_type', r.reaction_type, 'user_id', r.user_id) ORDER BY r.id)
  FROM reactions r WHERE r.message_id = m.id)`
