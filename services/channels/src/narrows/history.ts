/**
 * What somebody reads in, as stretches of conversations: all that was sent to them and that they may still read, or the
 * shared history of channels. It is stored nowhere: pages are merged from the indexes of the conversations (nearest.ts).
 */
import type { ChannelRow } from '../channels/channel-store.ts'
import { type HistoryRules, mayReadMessage } from '../messages/message-access.ts'
import type { Actor } from '../permissions/actor.ts'
import type { Queries } from '../room.ts'
import { currentMemberships } from '../subscriptions/period-store.ts'
import type { Condition } from './nearest.ts'

/** A stretch of one conversation that belongs to a history. */
export interface Stretch {
  readonly recipient_id: number
  /** Null for people's conversations. */
  readonly channel_id: number | null
  /** Membership versions from, and below which; all of a direct conversation. */
  readonly from_version: number
  readonly to_version: number
  /** IDs above, and up to which, there can be messages of the stretch. */
  readonly after_message_id: number
  readonly until_message_id: number
  /** The reader's mark: what is at or below it is read, but for exceptions. */
  readonly read_up_to: number
  /** Only this topic of it, whatever the case; of whoever is searched by topics. */
  readonly topic?: string
}

export type History = readonly Stretch[]

export const unbounded = Number.MAX_SAFE_INTEGER

/** A stretch of a user's own history. */
interface OwnStretch extends Stretch {
  /** What decides whether it may still be read, of a channel that the user has left; null where nothing has to be decided. */
  readonly left: HistoryRules | null
}

/** What is stored of a user's own history: whether it may be read depends on who the user is. */
export type OwnHistory = readonly OwnStretch[]

/** Stored values that are null when there is no such bound. */
interface StoredStretch extends Omit<OwnStretch, 'to_version' | 'until_message_id' | 'read_up_to' | 'topic'> {
  readonly to_version: number | null
  readonly until_message_id: number | null
  readonly read_up_to: number | null
}

/** Reads it; `channelIds`: only of these channels, and of no people. */
export const ownHistory = async (
  sql: Queries,
  readerId: number,
  channelIds?: readonly number[],
): Promise<OwnHistory> => {
  const ofChannels =
    channelIds === undefined ? sql`` : sql`AND p.channel_id = ANY (${[...channelIds]}::bigint[])`
  const direct = sql`
    UNION ALL
    SELECT p.recipient_id, NULL, 0, NULL, 0, NULL, r.read_up_to, NULL
    FROM conversation_participants p
    LEFT JOIN read_marks r ON r.user_id = p.user_id AND r.recipient_id = p.recipient_id
    WHERE p.user_id = ${readerId}`
  const stored = await sql<StoredStretch[]>`
    SELECT c.recipient_id, p.channel_id, p.from_version, p.to_version, p.after_message_id, p.until_message_id,
      r.read_up_to,
      CASE WHEN p.to_version IS NOT NULL AND NOT EXISTS (
          SELECT FROM subscription_periods now
          WHERE now.channel_id = p.channel_id AND now.user_id = p.user_id AND now.to_version IS NULL)
        THEN jsonb_build_object('invite_only', c.invite_only, 'is_web_public', c.is_web_public,
          'history_public_to_subscribers', c.history_public_to_subscribers, 'group_settings', c.group_settings)
      END AS left
    FROM subscription_periods p JOIN channels c ON c.id = p.channel_id
    LEFT JOIN read_marks r ON r.user_id = p.user_id AND r.recipient_id = c.recipient_id
    WHERE p.user_id = ${readerId} ${ofChannels}
    ${channelIds === undefined ? direct : sql``}`
  return stored.map((one) => ({
    recipient_id: one.recipient_id,
    channel_id: one.channel_id,
    from_version: one.from_version,
    to_version: one.to_version ?? unbounded,
    after_message_id: one.after_message_id,
    until_message_id: one.until_message_id ?? unbounded,
    read_up_to: one.read_up_to ?? 0,
    left: one.left,
  }))
}

/** The stretches of a user's own history, as access is now; `channelIds`: only of these channels, and of no people. */
export const personalHistory = async (
  sql: Queries,
  reader: Actor,
  channelIds?: readonly number[],
): Promise<History> => readableTo(reader, await ownHistory(sql, reader.id, channelIds))

/** Of a user's own history what may be read now: all of where the user is, and what the rules leave of other channels. */
export const readableTo = (reader: Actor, history: OwnHistory): History =>
  history.filter(
    ({ left }) => left === null || mayReadMessage(reader, left, { isSubscribed: false, wasRecipient: true }),
  )

/** All direct conversations of a user; `partnerIds`: only those in which all of these take part. */
export const directHistory = (
  sql: Queries,
  reader: Pick<Actor, 'id'>,
  partnerIds: readonly number[] = [],
): Promise<History> => {
  const partners = [...new Set(partnerIds)]
  const [one] = partners
  if (one === undefined) return conversationsOf(sql, reader)
  const isWithOne = sql`EXISTS (
    SELECT FROM conversation_participants o WHERE o.user_id = ${one} AND o.recipient_id = p.recipient_id)`
  if (partners.length === 1) return conversationsOf(sql, reader, isWithOne)
  const isWithAll = sql`EXISTS (
    SELECT FROM conversations c
    WHERE c.recipient_id = p.recipient_id AND cardinality(c.user_ids) >= ${partners.length}
      AND NOT EXISTS (SELECT unnest(${partners}::bigint[]) EXCEPT SELECT unnest(c.user_ids)))`
  return conversationsOf(sql, reader, sql`${isWithOne} AND ${isWithAll}`)
}

/** One conversation, if the user takes part in it. */
export const conversationHistory = (
  sql: Queries,
  reader: Pick<Actor, 'id'>,
  recipientId: number,
): Promise<History> => conversationsOf(sql, reader, sql`p.recipient_id = ${recipientId}`)

const conversationsOf = async (
  sql: Queries,
  reader: Pick<Actor, 'id'>,
  isWanted: Condition = sql`true`,
): Promise<History> => {
  const conversations = await sql<{ recipient_id: number; read_up_to: number }[]>`
    SELECT p.recipient_id, coalesce(r.read_up_to, 0) AS read_up_to FROM conversation_participants p
    LEFT JOIN read_marks r ON r.user_id = p.user_id AND r.recipient_id = p.recipient_id
    WHERE p.user_id = ${reader.id} AND ${isWanted}`
  return conversations.map(({ recipient_id, read_up_to }) =>
    wholeConversation({ recipient_id, channel_id: null, read_up_to }),
  )
}

/** All that was ever written in a conversation. */
const wholeConversation = (
  conversation: Pick<Stretch, 'recipient_id' | 'channel_id'> & { read_up_to?: number },
): Stretch => ({
  recipient_id: conversation.recipient_id,
  channel_id: conversation.channel_id,
  from_version: 0,
  to_version: unbounded,
  after_message_id: 0,
  until_message_id: unbounded,
  read_up_to: conversation.read_up_to ?? 0,
})

const subscribedOf = async (
  sql: Queries,
  reader: Actor,
  channels: readonly Pick<ChannelRow, 'id'>[],
): Promise<ReadonlySet<number>> => {
  const ids = channels.map((channel) => channel.id)
  const subscribed = await currentMemberships(sql, ids, [reader.id])
  return new Set(subscribed.map((one) => one.channel_id))
}

/**
 * The shared history of channels, as far as the reader may read it: whole where being subscribed now (or not at all) is
 * enough, else what was sent to the reader. `subscribed`: in which of them the reader is, where that is known.
 */
export const sharedHistory = async (
  sql: Queries,
  reader: Actor,
  channels: readonly Pick<ChannelRow, 'id' | 'recipient_id' | keyof HistoryRules>[],
  subscribed?: ReadonlySet<number>,
): Promise<History> => {
  const isIn = subscribed ?? (await subscribedOf(sql, reader, channels))
  const isWhole = (channel: Pick<ChannelRow, 'id' | keyof HistoryRules>): boolean =>
    mayReadMessage(reader, channel, { isSubscribed: isIn.has(channel.id), wasRecipient: false })
  const own = channels.filter((channel) => !isWhole(channel)).map((channel) => channel.id)
  return [
    ...channels
      .filter(isWhole)
      .map(({ id, recipient_id }) => wholeConversation({ recipient_id, channel_id: id })),
    ...(own.length === 0 ? [] : await personalHistory(sql, reader, own)),
  ]
}
