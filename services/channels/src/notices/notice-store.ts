import type { SystemBotName } from '@parley/contracts/identity/system-bots'
import type { Queries } from '../room.ts'

/** What a system bot is to say. */
export interface NewNotice {
  readonly realm_id: number
  readonly bot: SystemBotName
  readonly to:
    | { readonly channel_id: number; readonly topic: string }
    | { readonly user_ids: readonly number[] }
  readonly content: string
  /** For a channel: it says what is news only for who wants to hear of it. */
  readonly is_quiet?: boolean
}

export interface Notice {
  readonly id: number
  readonly realm_id: number
  readonly bot: SystemBotName
  readonly channel_id: number | null
  readonly topic: string | null
  readonly user_ids: number[] | null
  readonly content: string
  readonly is_quiet: boolean
  readonly attempts: number
  readonly late_seconds: number
}

/**
 * Has notices sent once the transaction has committed. Whoever writes some rings the bell after that; unrung, they go out
 * some seconds later.
 */
export const insertNotices = async (sql: Queries, notices: readonly NewNotice[]): Promise<void> => {
  if (notices.length === 0) return
  const rows = notices.map(({ to, ...notice }) => ({ ...notice, ...to }))
  await sql`
    INSERT INTO notices (realm_id, bot, channel_id, topic, user_ids, content, is_quiet)
    SELECT n.realm_id, n.bot, n.channel_id, n.topic, n.user_ids, n.content, coalesce(n.is_quiet, false)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS n(
      realm_id bigint, bot text, channel_id bigint, topic text, user_ids bigint[], content text, is_quiet boolean)`
}

export const claimNotice = async (sql: Queries): Promise<Notice | undefined> => {
  const [notice] = await sql<Notice[]>`
    SELECT id, realm_id, bot, channel_id, topic, user_ids, content, is_quiet, attempts,
      extract(epoch FROM clock_timestamp() - due_at)::float8 AS late_seconds
    FROM notices WHERE due_at <= clock_timestamp()
    ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED`
  return notice
}

export const removeNotice = async (sql: Queries, id: number): Promise<void> => {
  await sql`DELETE FROM notices WHERE id = ${id}`
}

/** Waits longer after each attempt; after `limit` of them the notice is given up. */
export const putOffNotice = async (sql: Queries, id: number, limit: number): Promise<void> => {
  await sql`DELETE FROM notices WHERE id = ${id} AND attempts + 1 >= ${limit}`
  await sql`
    UPDATE notices SET attempts = attempts + 1,
      due_at = clock_timestamp() + make_interval(secs => 5 * power(4, attempts))
    WHERE id = ${id}`
}

export const secondsToNextNotice = async (sql: Queries): Promise<number | undefined> => {
  const [next] = await sql<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM min(due_at) - clock_timestamp())::float8 AS seconds FROM notices`
  return next?.seconds ?? undefined
}
