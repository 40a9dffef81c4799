import type { DepartureFact } from '@parley/contracts/identity/topics'
import type { Expired } from '../retention/retention-store.ts'
import type { Queries } from '../room.ts'

/** Seconds after something unforeseen. */
const pauseAfterFailure = 300

type Kinds = DepartureFact['deletes_messages']

export interface Removal {
  readonly id: number
  readonly realm_id: number
  readonly sender_id: number
  readonly kinds: Kinds
  readonly until_message_id: number
  readonly late_seconds: number
}

/** Has an account's messages deleted that there are now. */
export const insertRemoval = async (
  sql: Queries,
  realmId: number,
  senderId: number,
  kinds: Kinds,
): Promise<void> => {
  await sql`
    INSERT INTO message_removals (realm_id, sender_id, kinds, until_message_id)
    SELECT ${realmId}, ${senderId}, ${[...kinds]}, coalesce(max(id), 0) FROM messages WHERE sender_id = ${senderId}`
}

export const claimRemoval = async (sql: Queries): Promise<Removal | undefined> => {
  const [removal] = await sql<Removal[]>`
    SELECT id, realm_id, sender_id, kinds, until_message_id,
      extract(epoch FROM clock_timestamp() - due_at)::float8 AS late_seconds
    FROM message_removals WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED`
  return removal
}

export const secondsToRemoval = async (sql: Queries): Promise<number | undefined> => {
  const [next] = await sql<{ seconds: number }[]>`
    SELECT extract(epoch FROM due_at - clock_timestamp())::float8 AS seconds
    FROM message_removals ORDER BY due_at LIMIT 1`
  return next?.seconds
}

export const putOffRemoval = async (sql: Queries, id: number): Promise<void> => {
  await sql`
    UPDATE message_removals SET due_at = clock_timestamp() + make_interval(secs => ${pauseAfterFailure})
    WHERE id = ${id}`
}

export const endRemoval = async (sql: Queries, id: number): Promise<void> => {
  await sql`DELETE FROM message_removals WHERE id = ${id}`
}

interface Place {
  readonly recipient_id: number
  /** Null for direct messages. */
  readonly channel_id: number | null
}

/** The conversation with the oldest message that is to go; undefined when nothing is left. */
export const nextPlace = async (
  sql: Queries,
  { sender_id, kinds, until_message_id }: Removal,
): Promise<Place | undefined> => {
  const [first] = await sql<Place[]>`
    SELECT m.recipient_id, c.id AS channel_id
    FROM messages m LEFT JOIN channels c ON c.recipient_id = m.recipient_id
    WHERE m.sender_id = ${sender_id} AND m.id <= ${until_message_id}
      AND CASE WHEN c.id IS NULL THEN 'direct' WHEN c.invite_only THEN 'private_channels' ELSE 'public_channels' END
        = ANY (${[...kinds]}::text[])
    ORDER BY m.id LIMIT 1`
  return first
}

/** The oldest messages of a conversation that are to go, at most `limit`. */
export const messagesToRemove = (
  sql: Queries,
  { sender_id, until_message_id }: Removal,
  recipientId: number,
  limit: number,
): Promise<Expired[]> =>
  sql<Expired[]>`
    SELECT id, topic, membership_version, received_channel_id, received_version FROM messages
    WHERE sender_id = ${sender_id} AND recipient_id = ${recipientId} AND id <= ${until_message_id}
    ORDER BY id LIMIT ${limit}`
