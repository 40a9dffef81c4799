import type { Reminder } from '@parley/contracts/objects/scheduled-message'
import type { Queries } from '../room.ts'

export interface NewReminder {
  readonly realm_id: number
  readonly user_id: number
  readonly message_id: number
  readonly note: string
  readonly content: string
  readonly rendered_content: string
  /** UNIX seconds. */
  readonly due_at: number
}

export interface DueReminder {
  readonly id: number
  readonly realm_id: number
  readonly user_id: number
  readonly message_id: number
  readonly note: string
  readonly late_seconds: number
}

const columns = (sql: Queries) => sql`
  id AS reminder_id, 'private' AS type, ARRAY[user_id] AS to, content, rendered_content,
  floor(extract(epoch FROM due_at))::bigint AS scheduled_delivery_timestamp, failure IS NOT NULL AS failed,
  message_id AS reminder_target_message_id`

/** The next one first. */
export const remindersOf = (sql: Queries, userId: number): Promise<Reminder[]> =>
  sql<Reminder[]>`SELECT ${columns(sql)} FROM reminders WHERE user_id = ${userId} ORDER BY due_at, id`

/** @returns undefined when the user has `limit` of them already. */
export const insertReminder = async (
  sql: Queries,
  reminder: NewReminder,
  limit: number,
): Promise<Reminder | undefined> => {
  const { realm_id, user_id, message_id, note, content, rendered_content, due_at } = reminder
  const [made] = await sql<Reminder[]>`
    INSERT INTO reminders (realm_id, user_id, message_id, note, content, rendered_content, due_at)
    SELECT ${realm_id}, ${user_id}, ${message_id}, ${note}, ${content}, ${rendered_content}, to_timestamp(${due_at})
    WHERE (SELECT count(*) FROM reminders WHERE user_id = ${user_id}) < ${limit}
    RETURNING ${columns(sql)}`
  return made
}

/** @returns whether there was one. */
export const removeReminder = async (sql: Queries, userId: number, id: number): Promise<boolean> =>
  (await sql`DELETE FROM reminders WHERE id = ${id} AND user_id = ${userId}`).count > 0

/** Locks the first that is due, passing over those that somebody else has locked. */
export const claimReminder = async (sql: Queries): Promise<DueReminder | undefined> => {
  const [row] = await sql<DueReminder[]>`
    SELECT id, realm_id, user_id, message_id, note,
      extract(epoch FROM clock_timestamp() - due_at)::float8 AS late_seconds
    FROM reminders WHERE failure IS NULL AND greatest(due_at, not_before) <= clock_timestamp()
    ORDER BY greatest(due_at, not_before), id LIMIT 1 FOR UPDATE SKIP LOCKED`
  return row
}

export const failReminder = async (sql: Queries, id: number, reason: string): Promise<void> => {
  await sql`UPDATE reminders SET failure = ${reason} WHERE id = ${id}`
}

/** Waits longer after each attempt. */
export const putOffReminder = async (sql: Queries, id: number): Promise<void> => {
  await sql`
    UPDATE reminders SET attempts = attempts + 1,
      not_before = clock_timestamp() + make_interval(secs => least(5 * power(4, attempts), 3600))
    WHERE id = ${id}`
}

export const secondsToNextReminder = async (sql: Queries): Promise<number | undefined> => {
  const [next] = await sql<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM min(greatest(due_at, not_before)) - clock_timestamp())::float8 AS seconds
    FROM reminders WHERE failure IS NULL`
  return next?.seconds ?? undefined
}
