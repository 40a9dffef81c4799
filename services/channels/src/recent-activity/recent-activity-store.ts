import type { Queries } from '../room.ts'

/** Days without a message after which a channel counts as inactive (facts section 7). */
const activeDays = 180
/** Channels looked at by one statement. */
const lookedAt = 500

export interface ActivityProgress {
  readonly id: number
  readonly after_channel_id: number
  readonly late_seconds: number
}

/** Locks the one row, unless somebody else is at work or nothing is due. */
export const claimActivity = async (sql: Queries): Promise<ActivityProgress | undefined> => {
  const [progress] = await sql<ActivityProgress[]>`
    SELECT 1 AS id, after_channel_id, extract(epoch FROM clock_timestamp() - due_at)::float8 AS late_seconds
    FROM activity_progress WHERE due_at <= clock_timestamp() FOR UPDATE SKIP LOCKED`
  return progress
}

/** `pause`: seconds until the work goes on. */
export const storeActivityProgress = async (
  sql: Queries,
  after_channel_id: number,
  pause: number,
): Promise<void> => {
  await sql`
    UPDATE activity_progress SET after_channel_id = ${after_channel_id},
      due_at = clock_timestamp() + make_interval(secs => ${pause})`
}

export const secondsToActivity = async (sql: Queries): Promise<number | undefined> => {
  const [next] = await sql<{ seconds: number }[]>`
    SELECT extract(epoch FROM due_at - clock_timestamp())::float8 AS seconds FROM activity_progress`
  return next?.seconds
}

/** Whether channel `c` has been active lately, by its newest message, else by its age. */
const isActive = (sql: Queries) => sql`
  (coalesce(
    (SELECT m.sent_at FROM messages m WHERE m.recipient_id = c.recipient_id ORDER BY m.id DESC LIMIT 1), c.created_at)
    > now() - make_interval(days => ${activeDays}))`

/** Of the next channels by ID, those that are told wrongly; `last`: the last one looked at, undefined at the end. */
export const nextToldWrongly = async (
  sql: Queries,
  afterId: number,
): Promise<{ found: { id: number; realm_id: number }[]; last: number | undefined }> => {
  const rows = await sql<{ id: number; realm_id: number; is_wrong: boolean }[]>`
    SELECT c.id, c.realm_id, c.is_recently_active <> ${isActive(sql)} AS is_wrong
    FROM channels c WHERE c.id > ${afterId} ORDER BY c.id LIMIT ${lookedAt}`
  const last = rows.length === lookedAt ? rows.at(-1)!.id : undefined
  return { found: rows.filter((row) => row.is_wrong), last }
}

/**
 * Writes whether a channel has been active lately; senders look at it again.
 *
 * @returns what it is from now on; undefined when it was so already.
 */
export const storeActivity = async (sql: Queries, channelId: number): Promise<boolean | undefined> => {
  const [changed] = await sql<{ is_recently_active: boolean }[]>`
    UPDATE channels c SET is_recently_active = NOT c.is_recently_active, version = c.version + 1
    WHERE c.id = ${channelId} AND c.is_recently_active <> ${isActive(sql)}
    RETURNING c.is_recently_active`
  return changed?.is_recently_active
}

/** The same for all channels of an organization that nobody has been told of. */
export const storeActivityOfAll = async (sql: Queries, realmId: number): Promise<void> => {
  await sql`
    UPDATE channels c SET is_recently_active = NOT c.is_recently_active
    WHERE c.realm_id = ${realmId} AND c.is_recently_active <> ${isActive(sql)}`
}
