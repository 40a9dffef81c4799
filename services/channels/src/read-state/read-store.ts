/** What somebody has read: marks and exceptions (migrations/031). */
import { isUnread, isUnreadAfterMark, wasReceivedBy } from '../narrows/conditions.ts'
import type { Queries } from '../room.ts'

/**
 * Until the end of the transaction nobody else changes what the user has read, and no messages go to another channel, which
 * takes along what is read of them (lockReadStates). To be called before anything of that is looked at.
 */
export const lockReadState = async (sql: Queries, realmId: number, userId: number): Promise<void> => {
  await sql`
    SELECT pg_advisory_xact_lock_shared((509016::bigint << 32) + ${realmId}),
      pg_advisory_xact_lock((509017::bigint << 32) + ${userId})`
}

/** The same for everybody in the organization. */
export const lockReadStates = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock((509016::bigint << 32) + ${realmId})`
}

/** More exceptions than this in one conversation are turned round: what is unread is listed instead of what is read. */
const manyExceptions = 500

/**
 * Marks messages as read by a user.
 *
 * @returns those that were unread.
 */
export const markRead = async (sql: Queries, userId: number, ids: readonly number[]): Promise<number[]> => {
  const changed = await sql<{ message_id: number; recipient_id: number }[]>`
    INSERT INTO read_exceptions (user_id, recipient_id, message_id, is_read)
    SELECT ${userId}, m.recipient_id, m.id, true FROM messages m
    WHERE m.id = ANY (${[...ids]}::bigint[]) AND ${isUnread(sql, userId)}
    ORDER BY m.recipient_id, m.id
    ON CONFLICT (user_id, recipient_id, message_id) DO UPDATE SET is_read = true
    RETURNING message_id, recipient_id`
  const conversations = new Set(changed.map((row) => row.recipient_id))
  for (const recipientId of conversations) await settle(sql, userId, recipientId)
  return changed.map((row) => row.message_id).sort((a, b) => a - b)
}

/**
 * Marks messages as unread by a user who received them.
 *
 * @returns those that were read.
 */
export const markUnread = async (sql: Queries, userId: number, ids: readonly number[]): Promise<number[]> => {
  const changed = await sql<{ message_id: number }[]>`
    INSERT INTO read_exceptions (user_id, recipient_id, message_id, is_read)
    SELECT ${userId}, m.recipient_id, m.id, false FROM messages m
    WHERE m.id = ANY (${[...ids]}::bigint[]) AND ${wasReceivedBy(sql, userId)} AND NOT ${isUnread(sql, userId)}
    ORDER BY m.recipient_id, m.id
    ON CONFLICT (user_id, recipient_id, message_id) DO UPDATE SET is_read = false
    RETURNING message_id`
  return changed.map((row) => row.message_id).sort((a, b) => a - b)
}

/** Everything of these conversations is read by a user. */
export const markConversationsRead = async (
  sql: Queries,
  userId: number,
  recipientIds: readonly number[],
): Promise<void> => {
  const recipients = [...new Set(recipientIds)].sort((a, b) => a - b)
  await sql`
    INSERT INTO read_marks (user_id, recipient_id, read_up_to)
    SELECT ${userId}, r.id, newest.id FROM unnest(${recipients}::bigint[]) AS r(id)
    CROSS JOIN LATERAL (SELECT max(m.id) AS id FROM messages m WHERE m.recipient_id = r.id) newest
    WHERE newest.id IS NOT NULL
    ORDER BY r.id
    ON CONFLICT (user_id, recipient_id) DO UPDATE SET
      read_up_to = greatest(read_marks.read_up_to, excluded.read_up_to)`
  await sql`
    DELETE FROM read_exceptions e USING read_marks r
    WHERE e.user_id = ${userId} AND e.recipient_id = ANY (${recipients}::bigint[])
      AND r.user_id = e.user_id AND r.recipient_id = e.recipient_id AND e.message_id <= r.read_up_to`
}

/** Messages that one reader is told of, at most, when much becomes read at once; what is older becomes read all the same. */
export const toldAtMost = 5000
/** The same over all readers of one change. */
const toldToAll = 200_000
/** However many readers there are. */
const toldAtLeast = 100

/** Messages that became read, and for whom. */
export interface BecameRead {
  readonly user_ids: number[]
  /** Ascending. */
  readonly message_ids: number[]
}

/**
 * What of channels their subscribers have not read, the newest of each; who has the same unread is together. `leaving` are
 * pairs of channel and user. To be asked under the organization's order, before they leave.
 */
export const unreadByLeaving = (
  sql: Queries,
  leaving: readonly { readonly channel_id: number; readonly user_id: number }[],
): Promise<BecameRead[]> => {
  const most = Math.min(toldAtMost, Math.max(toldAtLeast, Math.floor(toldToAll / leaving.length)))
  const reader = sql`pair.user_id`
  return sql<BecameRead[]>`
    SELECT to_jsonb(array_agg(user_id ORDER BY user_id)) AS user_ids, to_jsonb(message_ids) AS message_ids
    FROM (
      SELECT pair.user_id, array_agg(unread.id ORDER BY unread.id) AS message_ids
      FROM unnest(${leaving.map((one) => one.channel_id)}::bigint[], ${leaving.map((one) => one.user_id)}::bigint[])
        AS pair(channel_id, user_id)
      JOIN channels c ON c.id = pair.channel_id
      JOIN subscription_periods now
        ON now.channel_id = c.id AND now.user_id = pair.user_id AND now.to_version IS NULL
      LEFT JOIN read_marks mark ON mark.user_id = pair.user_id AND mark.recipient_id = c.recipient_id
      CROSS JOIN LATERAL (
        (SELECT m.id FROM messages m
          WHERE m.recipient_id = c.recipient_id AND m.id > greatest(mark.read_up_to, now.after_message_id)
            AND ${isUnreadAfterMark(sql, reader)} AND ${wasReceivedBy(sql, reader)}
          ORDER BY m.id DESC LIMIT ${most})
        UNION
        (SELECT e.message_id FROM read_exceptions e
          WHERE e.user_id = pair.user_id AND e.recipient_id = c.recipient_id AND NOT e.is_read
          ORDER BY e.message_id DESC LIMIT ${most})
      ) unread
      GROUP BY pair.user_id
    ) each_reader
    GROUP BY message_ids`
}

/** Which of some messages these users have not read; who has the same unread is together. */
export const unreadAmong = (
  sql: Queries,
  userIds: readonly number[],
  messageIds: readonly number[],
): Promise<BecameRead[]> =>
  sql<BecameRead[]>`
    SELECT to_jsonb(array_agg(user_id ORDER BY user_id)) AS user_ids, to_jsonb(message_ids) AS message_ids
    FROM (
      SELECT reader.id AS user_id, array_agg(m.id ORDER BY m.id) AS message_ids
      FROM unnest(${[...userIds]}::bigint[]) AS reader(id)
      JOIN messages m ON m.id = ANY (${[...messageIds]}::bigint[]) AND ${isUnread(sql, sql`reader.id`)}
      GROUP BY reader.id
    ) each_reader
    GROUP BY message_ids`

/** Who leaves a channel leaves nothing unread in it; `left` are pairs of channel and user. */
export const readByLeaving = async (
  sql: Queries,
  left: readonly { readonly channel_id: number; readonly user_id: number }[],
): Promise<void> => {
  const pairs = sql`
    SELECT pair.user_id, c.recipient_id
    FROM unnest(${left.map((pair) => pair.channel_id)}::bigint[], ${left.map((pair) => pair.user_id)}::bigint[])
      AS pair(channel_id, user_id)
    JOIN channels c ON c.id = pair.channel_id`
  await sql`
    DELETE FROM read_exceptions e USING (${pairs}) p
    WHERE e.recipient_id = p.recipient_id AND e.user_id = p.user_id`
  await sql`
    WITH p AS MATERIALIZED (${pairs}), newest AS MATERIALIZED (
      SELECT r.recipient_id, (SELECT max(m.id) FROM messages m WHERE m.recipient_id = r.recipient_id) AS id
      FROM (SELECT DISTINCT recipient_id FROM p) r)
    INSERT INTO read_marks (user_id, recipient_id, read_up_to)
    SELECT p.user_id, p.recipient_id, newest.id FROM p JOIN newest USING (recipient_id)
    WHERE newest.id IS NOT NULL
    ORDER BY p.user_id, p.recipient_id
    ON CONFLICT (user_id, recipient_id) DO UPDATE SET
      read_up_to = greatest(read_marks.read_up_to, excluded.read_up_to)`
}

/**
 * Moves the mark of a conversation up to the first message that is unread, and forgets the exceptions that this makes
 * superfluous. Where something old stays unread and a lot after it was read, the mark goes past it, and what is unread
 * becomes the exception.
 */
const settle = async (sql: Queries, userId: number, recipientId: number): Promise<void> => {
  await moveMark(
    sql,
    userId,
    recipientId,
    sql`(SELECT coalesce(
      (SELECT m.id - 1 FROM messages m
        WHERE m.recipient_id = ${recipientId} AND m.id > coalesce((
          SELECT read_up_to FROM read_marks WHERE user_id = ${userId} AND recipient_id = ${recipientId}), 0)
          AND ${isUnread(sql, userId)}
        ORDER BY m.id LIMIT 1),
      (SELECT max(m.id) FROM messages m WHERE m.recipient_id = ${recipientId})))`,
  )
  const [kept] = await sql<{ count: number; newest: number | null }[]>`
    SELECT count(*) AS count, max(message_id) AS newest FROM read_exceptions
    WHERE user_id = ${userId} AND recipient_id = ${recipientId} AND is_read`
  if (kept!.count <= manyExceptions || kept!.newest === null) return
  const unread = await sql<{ id: number }[]>`
    SELECT m.id FROM messages m
    WHERE m.recipient_id = ${recipientId} AND m.id <= ${kept!.newest}
      AND m.id > coalesce((
        SELECT read_up_to FROM read_marks WHERE user_id = ${userId} AND recipient_id = ${recipientId}), 0)
      AND ${isUnread(sql, userId)}
    ORDER BY m.id LIMIT ${kept!.count}`
  if (unread.length >= kept!.count) return
  await sql`
    INSERT INTO read_exceptions (user_id, recipient_id, message_id, is_read)
    SELECT ${userId}, ${recipientId}, unnest(${unread.map((row) => row.id)}::bigint[]), false
    ON CONFLICT (user_id, recipient_id, message_id) DO NOTHING`
  await moveMark(sql, userId, recipientId, sql`${kept!.newest}::bigint`)
}

const moveMark = async (
  sql: Queries,
  userId: number,
  recipientId: number,
  place: ReturnType<typeof isUnread>,
): Promise<void> => {
  await sql`
    INSERT INTO read_marks (user_id, recipient_id, read_up_to)
    SELECT ${userId}, ${recipientId}, ${place}
    ON CONFLICT (user_id, recipient_id) DO UPDATE SET read_up_to = excluded.read_up_to
    WHERE read_marks.read_up_to < excluded.read_up_to`
  await sql`
    DELETE FROM read_exceptions e USING read_marks r
    WHERE e.user_id = ${userId} AND e.recipient_id = ${recipientId} AND e.is_read
      AND r.user_id = e.user_id AND r.recipient_id = e.recipient_id AND e.message_id <= r.read_up_to`
}
