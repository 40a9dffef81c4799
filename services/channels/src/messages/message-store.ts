import { limits } from '@parley/contracts'
import type { EditHistoryEntry, Reaction, Submessage } from '@parley/contracts/objects/message'
import { portions } from '@parley/kit/portions'
import type { z } from 'zod'
import { cameAsNews, isByMuted } from '../narrows/conditions.ts'
import type { Actor } from '../permissions/actor.ts'
import { reactionsAsJson } from '../reactions/reaction-store.ts'
import type { Queries } from '../room.ts'
import { submessagesAsJson } from '../submessages/submessage-store.ts'
import { type HistoryRules, mayReadMessage } from './message-access.ts'
import type { Told } from './message-audience.ts'
import type { FlagSources } from './message-flags.ts'

/** Of a topic as a whole, that one statement reads or writes: all of a few hundred thousand would outlast its deadline. */
export const messagesAtATime = 20_000

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

/** A message as it is shown to its reader, with what hangs on it; each list oldest first, null for none. */
export interface ShownMessage
  extends FlagSources,
    Pick<
      StoredMessage,
      | 'id'
      | 'recipient_id'
      | 'channel_id'
      | 'channel_name'
      | 'user_ids'
      | 'topic'
      | 'client'
      | 'is_me_message'
      | 'sent_at'
      | 'last_edited_at'
      | 'last_moved_at'
      | 'edit_history'
    > {
  /** Null where it was not asked for. */
  readonly content: string | null
  readonly rendered_content: string | null
  readonly reactions: readonly z.infer<typeof Reaction>[] | null
  readonly submessages: readonly z.infer<typeof Submessage>[] | null
}

/** What of a message decides whether it can be read. */
type Standing = {
  [K in keyof HistoryRules]: HistoryRules[K] | null
} & Pick<StoredMessage, 'id' | 'channel_id' | 'was_recipient'> & { readonly is_subscribed: boolean }

type Fragment = ReturnType<typeof idOnly>

const idOnly = (sql: Queries) => sql`m.id`

/**
 * Columns of those messages `m` of an organization that the reader may read, by ID. What all messages of a conversation
 * have in common is looked up once, as its place `p`; `f` and `e` are the reader's flags and exception.
 */
const readable = async <Row>(
  sql: Queries,
  realmId: number,
  reader: Actor,
  ids: readonly number[],
  columns: Fragment,
): Promise<Row[]> => {
  if (ids.length === 0) return []
  const found = await sql<(Row & Standing)[]>`
    WITH m AS MATERIALIZED (
      SELECT * FROM messages WHERE id = ANY (${[...ids]}::bigint[]) AND realm_id = ${realmId}
    ), place AS MATERIALIZED (
      SELECT here.recipient_id, own.from_version AS subscribed_from, r.read_up_to, v.user_ids, c.name AS channel_name,
        c.invite_only, c.is_web_public, c.history_public_to_subscribers,
        CASE WHEN c.invite_only AND own.from_version IS NULL THEN c.group_settings END AS group_settings
      FROM (SELECT DISTINCT recipient_id, channel_id FROM m) here
      LEFT JOIN channels c ON c.id = here.channel_id
      LEFT JOIN conversations v ON here.channel_id IS NULL AND v.recipient_id = here.recipient_id
      LEFT JOIN subscription_periods own
        ON own.channel_id = here.channel_id AND own.user_id = ${reader.id} AND own.to_version IS NULL
      LEFT JOIN read_marks r ON r.user_id = ${reader.id} AND r.recipient_id = here.recipient_id
    )
    SELECT ${columns}, m.channel_id, p.invite_only, p.is_web_public, p.history_public_to_subscribers, p.group_settings,
      p.subscribed_from IS NOT NULL AS is_subscribed,
      CASE WHEN m.channel_id IS NULL THEN ${reader.id} = ANY (p.user_ids)
        WHEN m.membership_version >= p.subscribed_from THEN true
        ELSE EXISTS (
          SELECT FROM subscription_periods o
          WHERE o.channel_id = m.channel_id AND o.user_id = ${reader.id} AND o.from_version <= m.membership_version
            AND o.to_version > m.membership_version) END AS was_recipient
    FROM m JOIN place p ON p.recipient_id = m.recipient_id
    LEFT JOIN message_flags f ON f.user_id = ${reader.id} AND f.message_id = m.id
    LEFT JOIN read_exceptions e
      ON e.user_id = ${reader.id} AND e.recipient_id = m.recipient_id AND e.message_id = m.id
    ORDER BY m.id`
  return found.filter((message) => isReadable(reader, message))
}

/** The settings of a channel are read for those only whom nothing else lets in. */
const isReadable = (reader: Actor, message: Standing): boolean =>
  message.channel_id === null
    ? message.was_recipient
    : mayReadMessage(reader, message as Standing & HistoryRules, {
        isSubscribed: message.is_subscribed,
        wasRecipient: message.was_recipient,
      })

/** What a message is, besides its texts, and what its reader has to do with it. */
const commonColumns = (sql: Queries, reader: Actor) => sql`
      m.id, m.recipient_id, m.sender_id, m.topic, m.client, m.is_me_message, m.read_by_sender, m.is_quiet,
      m.shared_flags, f.flags AS own_flags, e.is_read AS read_exception,
      NOT ${cameAsNews(sql, reader.id)} AS came_by_move, ${isByMuted(sql, reader.id)} AS is_by_muted,
      floor(date_part('epoch', m.sent_at))::bigint AS sent_at,
      floor(date_part('epoch', m.last_edited_at))::bigint AS last_edited_at,
      floor(date_part('epoch', m.last_moved_at))::bigint AS last_moved_at,
      p.read_up_to, p.channel_name, p.user_ids`

/** Those of `ids` that the reader may read, by ID. */
export const readableMessages = (
  sql: Queries,
  realmId: number,
  reader: Actor,
  ids: readonly number[],
): Promise<StoredMessage[]> =>
  readable(
    sql,
    realmId,
    reader,
    ids,
    sql`${commonColumns(sql, reader)}, m.content, m.rendered_content, m.edit_history, m.has_reaction, m.has_submessage,
      m.membership_version, m.received_channel_id, m.received_version`,
  )

/** The same to be shown, with the texts that are wanted. */
export const shownMessages = (
  sql: Queries,
  realmId: number,
  reader: Actor,
  ids: readonly number[],
  texts: { readonly raw: boolean; readonly rendered: boolean },
): Promise<ShownMessage[]> => {
  const none = sql`NULL::text`
  return readable(
    sql,
    realmId,
    reader,
    ids,
    sql`${commonColumns(sql, reader)}, ${texts.raw ? sql`m.content` : none} AS content,
      ${texts.rendered ? sql`m.rendered_content` : none} AS rendered_content,
      newest_edits(m.edit_history, ${limits.maxListedEditHistoryKib * 1024}) AS edit_history,
      CASE WHEN m.has_reaction THEN ${reactionsAsJson(sql)} END AS reactions,
      CASE WHEN m.has_submessage THEN ${submessagesAsJson(sql)} END AS submessages`,
  )
}

/** Those of `ids` that the reader may read, ascending; without reading them. */
export const readableIds = async (
  sql: Queries,
  realmId: number,
  reader: Actor,
  ids: readonly number[],
): Promise<number[]> => {
  const found: number[] = []
  const ascending = [...ids].sort((a, b) => a - b)
  for (const some of portions(ascending, messagesAtATime)) {
    const rows = await readable<Pick<StoredMessage, 'id'>>(sql, realmId, reader, some, idOnly(sql))
    for (const { id } of rows) found.push(id)
  }
  return found
}

/** Who received some messages, by version. */
export const membershipVersions = async (sql: Queries, ids: readonly number[]): Promise<Told[]> => {
  const found: Told[] = []
  for (const some of portions(ids, messagesAtATime)) {
    const rows = await sql<Told[]>`
      SELECT id, membership_version, received_channel_id, received_version
      FROM messages WHERE id = ANY (${some}::bigint[]) ORDER BY id`
    for (const row of rows) found.push(row)
  }
  return found
}
