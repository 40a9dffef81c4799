import { botTypes } from '@parley/contracts'
import type { BotFact } from '@parley/contracts/identity/topics'
import type { DisabledReason } from '@parley/contracts/webhook-dispatcher/receivers'
import type { z } from 'zod'
import { newSecret } from '../payloads/signature.ts'
import type { Queries } from '../room.ts'
import type { Health, Verdict } from './receiver-health.ts'

/** An outgoing-webhook bot and the place where it is called. */
export interface ReceiverRow extends Health {
  readonly bot_id: number
  readonly realm_id: number
  readonly owner_id: number | null
  readonly is_active: boolean
  readonly full_name: string
  readonly email: string
  readonly url: string
  readonly interface: number
  readonly token: string
  readonly secret: string
  readonly previous_secret: string | null
  readonly previous_secret_until: Date | null
  readonly disabled_at: Date | null
  readonly disabled_reason: z.infer<typeof DisabledReason> | null
}

export const receiverColumns = (sql: Queries) => sql`
  r.bot_id, r.realm_id, r.owner_id, r.is_active, r.full_name, r.email, r.url, r.interface, r.token, r.secret,
  r.previous_secret, r.previous_secret_until, r.failures, r.paused_until, r.failing_since, r.last_success_at,
  r.disabled_at, r.disabled_reason`

/**
 * Keeps a bot's state unless a newer one is stored; bots of other kinds are nothing to this service. With a new URL a bot is
 * at a new place, of which nothing bad is known.
 */
export const saveReceiver = async (sql: Queries, bot: BotFact): Promise<void> => {
  const [service] = bot.services
  if (bot.bot_type !== botTypes.outgoingWebhook || service === undefined) return
  await sql`
    INSERT INTO receivers AS r
      (bot_id, realm_id, owner_id, is_active, full_name, email, url, interface, token, version, secret)
    VALUES (${bot.id}, ${bot.realm_id}, ${bot.owner_id}, ${bot.is_active}, ${bot.full_name}, ${bot.email},
      ${service.base_url}, ${service.interface}, ${service.token}, ${bot.version}, ${newSecret()})
    ON CONFLICT (bot_id) DO UPDATE SET
      owner_id = excluded.owner_id, is_active = excluded.is_active, full_name = excluded.full_name,
      email = excluded.email, url = excluded.url, interface = excluded.interface, token = excluded.token,
      version = excluded.version,
      failures = CASE WHEN r.url = excluded.url THEN r.failures ELSE 0 END,
      paused_until = CASE WHEN r.url = excluded.url THEN r.paused_until END,
      failing_since = CASE WHEN r.url = excluded.url THEN r.failing_since END,
      disabled_at = CASE WHEN r.url = excluded.url OR r.disabled_reason = 'by_hand' THEN r.disabled_at END,
      disabled_reason = CASE WHEN r.url = excluded.url OR r.disabled_reason = 'by_hand' THEN r.disabled_reason END
    WHERE r.version < excluded.version`
}

/** Those of `ids` that are known. */
export const knownReceivers = async (sql: Queries, ids: readonly number[]): Promise<Set<number>> => {
  const rows = await sql<{ bot_id: number }[]>`
    SELECT bot_id FROM receivers WHERE bot_id = ANY (${[...ids]}::bigint[])`
  return new Set(rows.map(({ bot_id }) => bot_id))
}

export const receiverById = async (sql: Queries, botId: number): Promise<ReceiverRow | undefined> => {
  const [row] = await sql<ReceiverRow[]>`
    SELECT ${receiverColumns(sql)} FROM receivers r WHERE r.bot_id = ${botId}`
  return row
}

/** The same, holding the row until the end of the transaction. */
export const lockReceiver = async (sql: Queries, botId: number): Promise<ReceiverRow | undefined> => {
  const [row] = await sql<ReceiverRow[]>`
    SELECT ${receiverColumns(sql)} FROM receivers r WHERE r.bot_id = ${botId} FOR UPDATE`
  return row
}

export const storeHealth = async (sql: Queries, botId: number, verdict: Verdict): Promise<void> => {
  const { failures, paused_until, failing_since, last_success_at, disable } = verdict
  await sql`
    UPDATE receivers SET failures = ${failures}, paused_until = ${paused_until}, failing_since = ${failing_since},
      last_success_at = ${last_success_at}
    WHERE bot_id = ${botId}`
  if (disable !== null) await disableReceiver(sql, botId, disable)
}

/** Calls it no more, and gives up what waits for it; what is being tried right now ends by itself. */
export const disableReceiver = async (
  sql: Queries,
  botId: number,
  reason: NonNullable<ReceiverRow['disabled_reason']>,
): Promise<void> => {
  await sql`
    UPDATE receivers SET disabled_at = now(), disabled_reason = ${reason}
    WHERE bot_id = ${botId} AND disabled_at IS NULL`
  await sql`
    UPDATE deliveries SET state = 'failed', failure = 'The webhook was disabled.', due_at = NULL, lease = NULL,
      finished_at = now()
    WHERE bot_id = ${botId} AND state = 'pending' AND (lease IS NULL OR due_at <= now())`
}

export const enableReceiver = async (sql: Queries, botId: number): Promise<void> => {
  await sql`
    UPDATE receivers SET disabled_at = NULL, disabled_reason = NULL, failures = 0, paused_until = NULL,
      failing_since = NULL
    WHERE bot_id = ${botId}`
}

/** The secret before this one goes on signing for `overlapHours`; the one before that ends now. */
export const replaceSecret = async (sql: Queries, botId: number, overlapHours: number): Promise<void> => {
  await sql`
    UPDATE receivers SET secret = ${newSecret()},
      previous_secret = CASE WHEN ${overlapHours}::int > 0 THEN secret END,
      previous_secret_until = CASE WHEN ${overlapHours}::int > 0 THEN now() + make_interval(hours => ${overlapHours}) END
    WHERE bot_id = ${botId}`
}
