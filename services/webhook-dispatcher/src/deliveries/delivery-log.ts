/** What people ask of the log. */
import type { ParamsOf } from '@parley/contracts'
import type { MessageRecord } from '@parley/contracts/objects/message'
import type { listWebhookDeliveries } from '@parley/contracts/webhook-dispatcher/deliveries'
import type { Queries } from '../room.ts'
import { type DeliveryRow, deliveryColumns } from './delivery-store.ts'

type Filters = ParamsOf<typeof listWebhookDeliveries>

/** Newest first. `before` is a delivery's public ID; one that is not there ends the list. */
export const deliveriesOf = async (sql: Queries, filters: Filters): Promise<DeliveryRow[]> => {
  const { bot_id, state, trigger, message_id, since, until, before, limit } = filters
  const rows = await sql<DeliveryRow[]>`
    SELECT ${deliveryColumns(sql)} FROM deliveries d
    WHERE d.bot_id = ${bot_id}
      ${state === undefined ? sql`` : sql`AND d.state = ${state}`}
      ${trigger === undefined ? sql`` : sql`AND d.trigger = ${trigger}`}
      ${message_id === undefined ? sql`` : sql`AND d.message_id = ${message_id}`}
      ${since === undefined ? sql`` : sql`AND d.created_at >= to_timestamp(${since})`}
      ${until === undefined ? sql`` : sql`AND d.created_at < to_timestamp(${until})`}
      ${before === undefined ? sql`` : sql`AND d.id < (SELECT b.id FROM deliveries b WHERE b.public_id = ${before} AND b.bot_id = ${bot_id})`}
    ORDER BY d.id DESC LIMIT ${limit}`
  return [...rows]
}

export const deliveryOf = async (
  sql: Queries,
  botId: number,
  publicId: string,
): Promise<DeliveryRow | undefined> => {
  const [row] = await sql<DeliveryRow[]>`
    SELECT ${deliveryColumns(sql)} FROM deliveries d WHERE d.public_id = ${publicId} AND d.bot_id = ${botId}`
  return row
}

export interface AttemptRow {
  readonly number: number
  readonly started_at: Date
  readonly duration_ms: number
  readonly url: string
  readonly status: number | null
  readonly error: string | null
  readonly response_body: string | null
}

export const attemptsOf = async (sql: Queries, deliveryId: number): Promise<AttemptRow[]> => {
  const rows = await sql<AttemptRow[]>`
    SELECT number, started_at, duration_ms, url, status, error, response_body FROM attempts
    WHERE delivery_id = ${deliveryId} ORDER BY number`
  return [...rows]
}

/** The message that a delivery tells of. */
export const messageOfDelivery = async (sql: Queries, id: number): Promise<MessageRecord | undefined> => {
  const [row] = await sql<{ message: MessageRecord }[]>`SELECT message FROM deliveries WHERE id = ${id}`
  return row?.message
}
