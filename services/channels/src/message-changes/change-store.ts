/** Changes of stored messages. */
import { limits } from '@parley/contracts'
import { portions } from '@parley/kit/portions'
import type { Rendered } from '@parley/markdown'
import { flagBits } from '../messages/message-flags.ts'
import { messagesAtATime } from '../messages/message-store.ts'
import type { Queries } from '../room.ts'

/** Holds messages against other changes until the end of the transaction; in the order of IDs. */
export const lockMessages = async (sql: Queries, ids: readonly number[]): Promise<void> => {
  for (const some of portions(ids, messagesAtATime)) {
    await sql`SELECT FROM messages WHERE id = ANY (${some}::bigint[]) ORDER BY id FOR NO KEY UPDATE`
  }
}

export interface ThreadMessage {
  readonly id: number
  /** UNIX seconds. */
  readonly sent_at: number
}

/** The messages of a topic, by ID. */
export const threadOf = (
  sql: Queries,
  channelId: number,
  topic: string,
  fromId = 0,
): Promise<ThreadMessage[]> =>
  sql<ThreadMessage[]>`
    SELECT id, floor(extract(epoch FROM sent_at))::bigint AS sent_at FROM messages
    WHERE channel_id = ${channelId} AND lower(topic) = lower(${topic}) AND id >= ${fromId}
    ORDER BY id`

/** Who changed what, as far as it is the same for all messages of one change. */
export interface ChangeRecord {
  readonly editorId: number
  /** UNIX seconds. */
  readonly at: number
}

const noHistory = (sql: Queries) => sql`coalesce(m.edit_history, '[]'::jsonb)`

/** What a message says from now on; `move`: where it goes by the same change. */
export const storeContent = async (
  sql: Queries,
  id: number,
  content: string,
  rendered: Rendered,
  sharedFlags: number,
  { editorId, at }: ChangeRecord,
  newTopic: string | undefined,
): Promise<void> => {
  const topic = newTopic ?? null
  await sql`
    UPDATE messages m SET
      content = ${content}, rendered_content = ${rendered.html}, is_me_message = ${rendered.is_me_message},
      has_link = ${rendered.has_link}, has_image = ${rendered.has_image},
      has_attachment = ${rendered.has_attachment}, shared_flags = ${sharedFlags},
      last_edited_at = to_timestamp(${at}),
      edit_history = kept_edits(jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
        'user_id', ${editorId}::bigint, 'timestamp', ${at}::bigint,
        'prev_content', m.content, 'prev_rendered_content', m.rendered_content,
        'prev_topic', CASE WHEN ${topic}::text IS NULL THEN NULL ELSE m.topic END, 'topic', ${topic}::text
      ))) || ${noHistory(sql)}, ${limits.maxEditHistoryKib * 1024})
    WHERE m.id = ${id}`
}

export interface Destination {
  readonly channelId: number
  readonly recipientId: number
  readonly membershipVersion: number
}

/**
 * Puts messages into another topic, or another channel (`to`): there they belong to whoever is subscribed now. The history
 * of `recordedId` has an entry of this change already. Being resolved is no move to tell of.
 */
export const storeMove = async (
  sql: Queries,
  /** Ascending. */
  ids: readonly number[],
  recordedId: number | undefined,
  change: { topic: string | undefined; to: Destination | undefined; isResolution: boolean },
  { editorId, at }: ChangeRecord,
): Promise<void> => {
  const topic = change.topic ?? null
  const { to } = change
  for (const some of portions(ids, messagesAtATime)) {
    await sql`
      UPDATE messages m SET
        topic = coalesce(${topic}::text, m.topic),
        ${
          to === undefined
            ? sql``
            : sql`
              received_channel_id = coalesce(m.received_channel_id, m.channel_id),
              received_version = coalesce(m.received_version, m.membership_version),
              channel_id = ${to.channelId}, recipient_id = ${to.recipientId},
              membership_version = ${to.membershipVersion},`
        }
        last_moved_at = CASE WHEN ${change.isResolution} THEN m.last_moved_at ELSE to_timestamp(${at}) END,
        edit_history = CASE WHEN m.id IS DISTINCT FROM ${recordedId ?? null}::bigint THEN
          jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
            'user_id', ${editorId}::bigint, 'timestamp', ${at}::bigint,
            'prev_topic', CASE WHEN ${topic}::text IS NULL THEN NULL ELSE m.topic END, 'topic', ${topic}::text,
            'prev_stream', CASE WHEN ${to?.channelId ?? null}::bigint IS NULL THEN NULL ELSE m.channel_id END,
            'stream', ${to?.channelId ?? null}::bigint
          ))) || ${noHistory(sql)}
          ELSE m.edit_history END
      WHERE m.id = ANY (${some}::bigint[])`
  }
  const [oldest] = ids
  if (to === undefined || oldest === undefined) return
  // Periods promise that nothing of theirs is older than where they began.
  await sql`
    UPDATE subscription_periods SET after_message_id = ${oldest - 1}
    WHERE channel_id = ${to.channelId} AND to_version IS NULL AND after_message_id >= ${oldest}`
}

/** Beyond so many pairs of message and reader, what is unread after a move is what the reader's mark there says. */
export const pairsKept = 500_000

/**
 * Keeps what is unread of messages that go to another channel, for those who received them and are in both; to be called
 * before the move. Who was in only one of them finds them read.
 */
export const carryReadState = async (
  sql: Queries,
  ids: readonly number[],
  from: { channelId: number; recipientId: number },
  to: Destination & { subscribers: number },
): Promise<void> => {
  if (ids.length * to.subscribers <= pairsKept) {
    await sql`
      INSERT INTO read_exceptions (user_id, recipient_id, message_id, is_read)
      SELECT s.user_id, ${to.recipientId}, s.id, NOT s.was_unread
      FROM (
        SELECT p.user_id, m.id,
          coalesce(NOT e.is_read, m.id > coalesce(k.read_up_to, 0)
            AND NOT (m.sender_id = p.user_id AND m.read_by_sender) AND s.user_id IS NULL AND NOT m.is_quiet)
            AND EXISTS (
              SELECT FROM subscription_periods w
              WHERE w.channel_id = ${from.channelId} AND w.user_id = p.user_id
                AND w.from_version <= m.membership_version
                AND (w.to_version IS NULL OR w.to_version > m.membership_version)) AS was_unread,
          m.id > coalesce(n.read_up_to, 0) AND NOT (m.sender_id = p.user_id AND m.read_by_sender)
            AND s.user_id IS NULL AND NOT m.is_quiet AS will_be_unread
        FROM messages m CROSS JOIN subscription_periods p
        LEFT JOIN read_marks k ON k.user_id = p.user_id AND k.recipient_id = ${from.recipientId}
        LEFT JOIN read_marks n ON n.user_id = p.user_id AND n.recipient_id = ${to.recipientId}
        LEFT JOIN read_exceptions e
          ON e.user_id = p.user_id AND e.recipient_id = ${from.recipientId} AND e.message_id = m.id
        LEFT JOIN muted_senders s ON s.user_id = p.user_id AND s.sender_id = m.sender_id AND m.id <= s.read_up_to
        WHERE m.id = ANY (${[...ids]}::bigint[]) AND p.channel_id = ${to.channelId} AND p.to_version IS NULL
          AND EXISTS (
            SELECT FROM subscription_periods o
            WHERE o.channel_id = coalesce(m.received_channel_id, m.channel_id) AND o.user_id = p.user_id
              AND o.from_version <= coalesce(m.received_version, m.membership_version)
              AND (o.to_version IS NULL OR o.to_version > coalesce(m.received_version, m.membership_version)))
      ) s WHERE s.was_unread <> s.will_be_unread
      ON CONFLICT (user_id, recipient_id, message_id) DO UPDATE SET is_read = excluded.is_read`
  }
  for (const some of portions(ids, messagesAtATime)) {
    await sql`
      DELETE FROM read_exceptions
      WHERE message_id = ANY (${some}::bigint[]) AND recipient_id = ${from.recipientId}`
  }
}

/** Who is mentioned by name, or as member of a group. */
export const mentionedIn = async (sql: Queries, messageId: number): Promise<Set<number>> => {
  const rows = await sql<{ user_id: number }[]>`
    SELECT user_id FROM message_flags WHERE message_id = ${messageId} AND flags & ${flagBits.mentioned} <> 0`
  return new Set(rows.map((row) => row.user_id))
}

export interface Place {
  readonly channelId: number
  readonly topic: string
}

/** Whether a topic has messages besides those that a move has brought `there`; reads no more of it than one more than those. */
export const hasOthers = async (
  sql: Queries,
  { channelId, topic }: Place,
  moved: { readonly there: Place; readonly count: number },
): Promise<boolean> => {
  const isThere = channelId === moved.there.channelId
  const rows = await sql`
    SELECT FROM messages WHERE channel_id = ${channelId} AND lower(topic) = lower(${topic})
    OFFSET CASE WHEN ${isThere} AND lower(${topic}) = lower(${moved.there.topic}) THEN ${moved.count}::bigint ELSE 0 END
    LIMIT 1`
  return rows.count > 0
}

/** Flags of who is mentioned or alerted, as the new content says; by user ID. */
export const storeMentions = async (
  sql: Queries,
  messageId: number,
  marks: ReadonlyMap<number, number>,
): Promise<void> => {
  const bits = flagBits.mentioned | flagBits.topic_wildcard_mentioned | flagBits.has_alert_word
  const users = [...marks.keys()].sort((a, b) => a - b)
  await sql`
    UPDATE message_flags SET flags = flags & ~(${bits}::smallint)
    WHERE message_id = ${messageId} AND user_id <> ALL (${users}::bigint[]) AND flags & ${bits} <> 0`
  await sql`DELETE FROM message_flags WHERE message_id = ${messageId} AND flags = 0`
  await sql`
    INSERT INTO message_flags (user_id, message_id, flags)
    SELECT id, ${messageId}, flags
    FROM unnest(${users}::bigint[], ${users.map((id) => marks.get(id)!)}::smallint[]) AS mark(id, flags)
    ORDER BY id
    ON CONFLICT (user_id, message_id) DO UPDATE SET
      flags = (message_flags.flags & ~(${bits}::smallint)) | excluded.flags`
}
