import type { Reaction, Submessage } from '@parley/contracts/objects/message'
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

/** What hangs on messages, by message ID: reactions and submessages, each oldest first. */
export interface Attached {
  readonly reactions: ReadonlyMap<number, StoredReaction[]>
  readonly submessages: ReadonlyMap<number, z.infer<typeof Submessage>[]>
}

interface Carrier {
  readonly id: number
  readonly has_reaction: boolean
  readonly has_submessage: boolean
}

export const attachedTo = async (sql: Queries, messages: readonly Carrier[]): Promise<Attached> => {
  const reacted = messages.filter((one) => one.has_reaction).map((one) => one.id)
  const used = messages.filter((one) => one.has_submessage).map((one) => one.id)
  const reactions = new Map<number, StoredReaction[]>()
  const submessages = new Map<number, z.infer<typeof Submessage>[]>()
  const [given, sent] = await Promise.all([
    reacted.length === 0
      ? []
      : sql<(StoredReaction & { message_id: number })[]>`
          SELECT message_id, emoji_name, emoji_code, reaction_type, user_id FROM reactions
          WHERE message_id = ANY (${reacted}::bigint[]) ORDER BY id`,
    used.length === 0
      ? []
      : sql<z.infer<typeof Submessage>[]>`
          SELECT id, message_id, sender_id, msg_type, content FROM submessages
          WHERE message_id = ANY (${used}::bigint[]) ORDER BY id`,
  ])
  for (const { message_id, ...reaction } of given) {
    reactions.set(message_id, [...(reactions.get(message_id) ?? []), reaction])
  }
  for (const one of sent) submessages.set(one.message_id, [...(submessages.get(one.message_id) ?? []), one])
  return { reactions, submessages }
}
