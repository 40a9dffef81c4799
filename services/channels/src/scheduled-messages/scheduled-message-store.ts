import type { Queries } from '../room.ts'

/** What is to be sent, to whom and when. */
export interface Planned {
  readonly type: 'stream' | 'private'
  readonly recipients: readonly number[]
  readonly topic: string
  readonly content: string
  readonly rendered_content: string
  readonly client: string
  readonly read_by_sender: boolean
  /** UNIX seconds. */
  readonly due_at: number
}

export interface ScheduledRow extends Planned {
  readonly id: number
  readonly failure: string | null
}

export interface DueRow extends ScheduledRow {
  readonly realm_id: number
  readonly user_id: number
  readonly late_seconds: number
}

const columns = (sql: Queries) => sql`
  id, type, recipients, topic, content, rendered_content, client, read_by_sender, failure,
  floor(extract(epoch FROM due_at))::bigint AS due_at`

/** The next one first. */
export const scheduledMessagesOf = (sql: Queries, userId: number): Promise<ScheduledRow[]> =>
  sql<
    ScheduledRow[]
  >`SELECT ${columns(sql)} FROM scheduled_messages WHERE user_id = ${userId} ORDER BY due_at, id`

/** @returns undefined when the user has `limit` of them already. */
export const insertScheduledMessage = async (
  sql: Queries,
  owner: { readonly realm_id: number; readonly user_id: number },
  plan: Planned,
  limit: number,
): Promise<ScheduledRow | undefined> => {
  const [made] = await sql<ScheduledRow[]>`
    INSERT INTO scheduled_messages (
      realm_id, user_id, type, recipients, topic, content, rendered_content, client, read_by_sender, due_at)
    SELECT ${owner.realm_id}, ${owner.user_id}, ${plan.type}, ${[...plan.recipients]}::bigint[], ${plan.topic},
      ${plan.content}, ${plan.rendered_content}, ${plan.client}, ${plan.read_by_sender}, to_timestamp(${plan.due_at})
    WHERE (SELECT count(*) FROM scheduled_messages WHERE user_id = ${owner.user_id}) < ${limit}
    RETURNING ${columns(sql)}`
  return made
}

/** Holds a user's row against other changes, and against being sent, until the end of the transaction. */
export const lockScheduledMessage = async (
  sql: Queries,
  userId: number,
  id: number,
): Promise<ScheduledRow | undefined> => {
  const [row] = await sql<ScheduledRow[]>`
    SELECT ${columns(sql)} FROM scheduled_messages WHERE id = ${id} AND user_id = ${userId} FOR UPDATE`
  return row
}

/** Whatever failed before may be tried again. */
export const storeScheduledMessage = async (
  sql: Queries,
  id: number,
  plan: Planned,
): Promise<ScheduledRow> => {
  const [stored] = await sql<ScheduledRow[]>`
    UPDATE scheduled_messages SET type = ${plan.type}, recipients = ${[...plan.recipients]}::bigint[],
      topic = ${plan.topic}, content = ${plan.content}, rendered_content = ${plan.rendered_content},
      client = ${plan.client}, read_by_sender = ${plan.read_by_sender}, due_at = to_timestamp(${plan.due_at}),
      failure = NULL, attempts = 0, not_before = NULL
    WHERE id = ${id}
    RETURNING ${columns(sql)}`
  return stored!
}

/** @returns whether there was one. */
export const removeScheduledMessage = async (sql: Queries, userId: number, id: number): Promise<boolean> =>
  (await sql`DELETE FROM scheduled_messages WHERE id = ${id} AND user_id = ${userId}`).count > 0

/** Locks the first that is due, passing over those that somebody else has locked. */
export const claimScheduledMessage = async (sql: Queries): Promise<DueRow | undefined> => {
  const [row] = await sql<DueRow[]>`
    SELECT ${columns(sql)}, realm_id, user_id,
      extract(epoch FROM clock_timestamp() - due_at)::float8 AS late_seconds
    FROM scheduled_messages WHERE failure IS NULL AND greatest(due_at, not_before) <= clock_timestamp()
    ORDER BY greatest(due_at, not_before), id LIMIT 1 FOR UPDATE SKIP LOCKED`
  return row
}

export const failScheduledMessage = async (
  sql: Queries,
  id: number,
  reason: string,
): Promise<ScheduledRow> => {
  const [row] = await sql<ScheduledRow[]>`
    UPDATE scheduled_messages SET failure = ${reason} WHERE id = ${id} RETURNING ${columns(sql)}`
  return row!
}

/** Waits longer after each attempt. That it can come too late then is found out when it is due again. */
export const putOffScheduledMessage = async (sql: Queries, id: number): Promise<void> => {
  await sql`
    UPDATE scheduled_messages SET attempts = attempts + 1,
      not_before = clock_timestamp() + make_interval(secs => least(5 * power(4, attempts), 600))
    WHERE id = ${id}`
}

export const secondsToNextScheduledMessage = async (sql: Queries): Promise<number | undefined> => {
  const [next] = await sql<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM min(greatest(due_at, not_before)) - clock_timestamp())::float8 AS seconds
    FROM scheduled_messages WHERE failure IS NULL`
  return next?.seconds ?? undefined
}
