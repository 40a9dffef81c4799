/** What narrows say of a message, as SQL about `m`. Each is true or false, never null, so that it can be negated. */
import { flagBits } from '../messages/message-flags.ts'
import type { Queries } from '../room.ts'
import type { Condition, Way } from './nearest.ts'

/** Who reads: an ID, or a column of the query that the condition is put into. */
export type Reader = number | Condition

/** The reader's exceptional flags. */
const ownFlags = (sql: Queries, readerId: number) => sql`
  coalesce((SELECT f.flags FROM message_flags f WHERE f.user_id = ${readerId} AND f.message_id = m.id), 0)`

export const hasOwnFlag = (sql: Queries, userId: number, bits: number): Condition =>
  sql`${ownFlags(sql, userId)} & ${bits} <> 0`

/** Messages found by flags: an index holds each user's. The bits are written out, so that it is recognised. */
export const flaggedHits = (
  sql: Queries,
  userId: number,
  kind: FlaggedKind,
): Required<Pick<Way, 'hits' | 'nearHits'>> => {
  const flagged = sql`SELECT f.message_id FROM message_flags f WHERE f.user_id = ${userId} AND ${indexed(sql, kind)}`
  return {
    hits: sql`m.id = ANY (ARRAY (${flagged}))`,
    nearHits: ({ place, side, count }) =>
      side === 'older'
        ? sql`m.id = ANY (ARRAY (
            ${flagged} AND f.message_id < ${place} ORDER BY f.message_id DESC LIMIT ${count}))`
        : sql`m.id = ANY (ARRAY (
            ${flagged} AND f.message_id >= ${place} ORDER BY f.message_id LIMIT ${count}))`,
  }
}

export type FlaggedKind = 'starred' | 'mentioned' | 'alerted'

const indexed = (sql: Queries, kind: FlaggedKind) =>
  kind === 'starred' ? sql`flags & 2 <> 0` : kind === 'alerted' ? sql`flags & 64 <> 0` : sql`flags & 56 <> 0`

/** Flags of each kind. */
export const bitsOf: Record<FlaggedKind, number> = {
  starred: flagBits.starred,
  mentioned: flagBits.mentioned | flagBits.stream_wildcard_mentioned | flagBits.topic_wildcard_mentioned,
  alerted: flagBits.has_alert_word,
}

/** A channel was mentioned as a whole: for those who received the message. */
export const mentionsEverybody = (sql: Queries): Condition => sql`m.shared_flags <> 0`

/** Whether a user was subscribed when the message was sent (now: where it is). */
export const wasReceivedBy = (sql: Queries, userId: Reader): Condition => sql`
  (CASE WHEN m.channel_id IS NULL THEN EXISTS (
      SELECT FROM conversation_participants v WHERE v.user_id = ${userId} AND v.recipient_id = m.recipient_id)
    ELSE EXISTS (
      SELECT FROM subscription_periods p
      WHERE p.channel_id = m.channel_id AND p.user_id = ${userId} AND p.from_version <= m.membership_version
        AND (p.to_version IS NULL OR p.to_version > m.membership_version)) END)`

/** Whether a user got it when it was written, wherever it has been moved since: only then can it be unread. */
export const cameAsNews = (sql: Queries, userId: Reader): Condition => sql`
  (m.received_version IS NULL OR EXISTS (
    SELECT FROM subscription_periods p
    WHERE p.channel_id = m.received_channel_id AND p.user_id = ${userId} AND p.from_version <= m.received_version
      AND (p.to_version IS NULL OR p.to_version > m.received_version)))`

const isOwn = (sql: Queries, userId: Reader): Condition => sql`(m.sender_id = ${userId} AND m.read_by_sender)`

/** Its sender was muted by the user when it came, or has been since. Most people mute nobody: that is looked up once. */
export const isByMuted = (sql: Queries, userId: Reader): Condition => sql`
  (m.sender_id = ANY (ARRAY (SELECT s.sender_id FROM muted_senders s WHERE s.user_id = ${userId}))
  AND EXISTS (
    SELECT FROM muted_senders s
    WHERE s.user_id = ${userId} AND s.sender_id = m.sender_id AND m.id <= s.read_up_to))`

/** Unread for a user who received it and whose mark lies before it: the conversation's newer part. */
export const isUnreadAfterMark = (sql: Queries, userId: Reader): Condition => sql`
  coalesce(
    (SELECT NOT e.is_read FROM read_exceptions e
      WHERE e.user_id = ${userId} AND e.recipient_id = m.recipient_id AND e.message_id = m.id),
    NOT m.is_quiet AND NOT ${isOwn(sql, userId)} AND NOT ${isByMuted(sql, userId)}
      AND ${cameAsNews(sql, userId)})`

/** Read by a user who received it and whose mark lies at it or after it: the conversation's older part. */
export const isReadUpToMark = (sql: Queries, userId: number): Condition => sql`
  NOT EXISTS (
    SELECT FROM read_exceptions e
    WHERE e.user_id = ${userId} AND e.recipient_id = m.recipient_id AND e.message_id = m.id AND NOT e.is_read)`

/** Marked as unread by the user although it lies before the mark. */
export const unreadExceptionHits = (sql: Queries, userId: number): Condition => sql`
  m.id = ANY (ARRAY (SELECT e.message_id FROM read_exceptions e WHERE e.user_id = ${userId} AND NOT is_read))`

/** Marked as read by the user although it lies after the mark. */
export const readExceptionHits = (sql: Queries, userId: number): Condition => sql`
  m.id = ANY (ARRAY (SELECT e.message_id FROM read_exceptions e WHERE e.user_id = ${userId} AND is_read))`

/** Unread for a user, whoever that is. */
export const isUnread = (sql: Queries, userId: Reader): Condition => sql`
  (coalesce(
    (SELECT NOT e.is_read FROM read_exceptions e
      WHERE e.user_id = ${userId} AND e.recipient_id = m.recipient_id AND e.message_id = m.id),
    m.id > coalesce((
      SELECT r.read_up_to FROM read_marks r WHERE r.user_id = ${userId} AND r.recipient_id = m.recipient_id), 0)
    AND NOT m.is_quiet AND NOT ${isOwn(sql, userId)} AND NOT ${isByMuted(sql, userId)}
      AND ${cameAsNews(sql, userId)})
  AND ${wasReceivedBy(sql, userId)})`

/** Whether it has a topic of this name, whatever the case. */
export const hasTopic = (sql: Queries, topic: string): Condition =>
  sql`m.channel_id IS NOT NULL AND lower(m.topic) = lower(${topic})`

export const isResolved = (sql: Queries): Condition => sql`m.topic LIKE '✔ %'`
