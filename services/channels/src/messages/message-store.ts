import type { EditHistoryEntry } from '@parley/contracts/objects/message'
import type { Actor } from '../permissions/actor.ts'
import type { Queries } from '../room.ts'
import { type HistoryRules, mayReadMessage } from './message-access.ts'
import type { Told } from './message-audience.ts'
import type { FlagSources } from './message-flags.ts'

/** A message as stored, with what its reader has to do with it. */
export interface StoredMessage extends FlagSources {
  readonly id: number
  readonly recipient_id: number
  readonly channel_id: number | null
  readonly channel_name: string | null
  /** Of a direct conversation, ascending; null for a channel. */
  readonly user_ids: number[] | null
  readonly topic: string
  readonly content: string
  readonly rendered_content: string
  readonly client: string
  readonly is_me_message: boolean
  /** UNIX seconds. */
  readonly sent_at: number
  readonly last_edited_at: number | null
  readonly last_moved_at: number | null
  /** Newest first; null for what was never changed. */
  readonly edit_history: readonly EditHistoryEntry[] | null
  readonly has_reaction: boolean
  readonly has_submessage: boolean
  readonly membership_version: number
  /** Where, and at which version, it was received before it was moved to another channel. */
  readonly received_channel_id: number | null
  readonly received_version: number | null
}

/** What of a message decides whether it can be read. */
type Standing = {
  [K in keyof HistoryRules]: HistoryRules[K] | null
} & Pick<StoredMessage, 'id' | 'channel_id' | 'was_recipient'> & { readonly is_subscribed: boolean }

/** How the reader stands to message `m`, with conversation `v`. */
const standing = (sql: Queries, reader: Actor) => sql`
      CASE WHEN m.channel_id IS NULL THEN ${reader.id} = ANY (v.user_ids) ELSE EXISTS (
        SELECT FROM subscription_periods p
        WHERE p.channel_id = m.channel_id AND p.user_id = ${reader.id} AND p.from_version <= m.membership_version
          AND (p.to_version IS NULL OR p.to_version > m.membership_version)) END AS was_recipient,
      EXISTS (
        SELECT FROM subscription_periods p
        WHERE p.channel_id = m.channel_id AND p.user_id = ${reader.id} AND p.to_version IS NULL) AS is_subscribed`

/** Those of `ids` that the reader may read, by ID. */
export const readableMessages = async (
  sql: Queries,
  realmId: number,
  reader: Actor,
  ids: readonly number[],
): Promise<StoredMessage[]> => {
  if (ids.length === 0) return []
  const found = await sql<(StoredMessage & Standing)[]>`
    SELECT m.id, m.recipient_id, m.channel_id, m.sender_id, m.topic, m.content, m.rendered_content, m.client,
      m.is_me_message, m.read_by_sender, m.is_quiet, m.shared_flags, f.flags AS own_flags, m.edit_history, m.has_reaction,
      m.has_submessage,
      m.membership_version, m.received_channel_id, m.received_version, r.read_up_to, e.is_read AS read_exception,
      m.received_version IS NOT NULL AND NOT EXISTS (
        SELECT FROM subscription_periods p
        WHERE p.channel_id = m.received_channel_id AND p.user_id = ${reader.id}
          AND p.from_version <= m.received_version
          AND (p.to_version IS NULL OR p.to_version > m.received_version)) AS came_by_move,
      EXISTS (
        SELECT FROM muted_senders s
        WHERE s.user_id = ${reader.id} AND s.sender_id = m.sender_id AND m.id <= s.read_up_to) AS is_by_muted,
      floor(extract(epoch FROM m.sent_at))::bigint AS sent_at,
      floor(extract(epoch FROM m.last_edited_at))::bigint AS last_edited_at,
      floor(extract(epoch FROM m.last_moved_at))::bigint AS last_moved_at,
      c.name AS channel_name, c.invite_only, c.is_web_public, c.history_public_to_subscribers, c.group_settings,
      v.user_ids,
      ${standing(sql, reader)}
    FROM messages m
    LEFT JOIN channels c ON c.id = m.channel_id
    LEFT JOIN conversations v ON m.channel_id IS NULL AND v.recipient_id = m.recipient_id
    LEFT JOIN message_flags f ON f.user_id = ${reader.id} AND f.message_id = m.id
    LEFT JOIN read_marks r ON r.user_id = ${reader.id} AND r.recipient_id = m.recipient_id
    LEFT JOIN read_exceptions e
      ON e.user_id = ${reader.id} AND e.recipient_id = m.recipient_id AND e.message_id = m.id
    WHERE m.id = ANY (${[...ids]}::bigint[]) AND m.realm_id = ${realmId}
    ORDER BY m.id`
  return found.filter((message) => isReadable(reader, message))
}

const isReadable = (reader: Actor, message: Standing): boolean =>
  message.channel_id === null
    ? message.was_recipient
    : mayReadMessage(reader, message as Standing & HistoryRules, {
        isSubscribed: message.is_subscribed,
        wasRecipient: message.was_recipient,
      })

/** Those of `ids` that the reader may read, ascending; without reading them. */
export const readableIds = async (
  sql: Queries,
  realmId: number,
  reader: Actor,
  ids: readonly number[],
): Promise<number[]> => {
  if (ids.length === 0) return []
  const found = await sql<Standing[]>`
    SELECT m.id, m.channel_id, c.invite_only, c.is_web_public, c.history_public_to_subscribers, c.group_settings,
      ${standing(sql, reader)}
    FROM messages m
    LEFT JOIN channels c ON c.id = m.channel_id
    LEFT JOIN conversations v ON m.channel_id IS NULL AND v.recipient_id = m.recipient_id
    WHERE m.id = ANY (${[...ids]}::bigint[]) AND m.realm_id = ${realmId}
    ORDER BY m.id`
  return found.filter((message) => isReadable(reader, message)).map((message) => message.id)
}

/** Who received some messages, by version; by ID. */
export const membershipVersions = (sql: Queries, ids: readonly number[]): Promise<Told[]> =>
  sql<Told[]>`
    SELECT id, membership_version, received_channel_id, received_version
    FROM messages WHERE id = ANY (${[...ids]}::bigint[]) ORDER BY id`
