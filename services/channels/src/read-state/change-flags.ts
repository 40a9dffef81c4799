/** Adds a flag to messages, or removes it, and tells the reader's clients. */
import type { KnownCaller } from '@parley/contracts'
import {
  type UnreadDetails,
  updateMessageFlagsAdd,
  updateMessageFlagsRemove,
} from '@parley/contracts/channels/message-events'
import type { Tx } from '@parley/kit'
import { bitsOf } from '../narrows/conditions.ts'
import { isInMutedPlace } from '../narrows/visibility.ts'
import type { Queries } from '../room.ts'
import { bitOf, type SettableFlag } from './flag-rules.ts'
import { addFlag, heldMessages, removeFlag } from './flag-store.ts'
import { lockReadState, markRead, markUnread } from './read-store.ts'

export type FlagTx = Tx<typeof updateMessageFlagsAdd | typeof updateMessageFlagsRemove>

interface FlagChange {
  readonly op: 'add' | 'remove'
  readonly flag: SettableFlag
}

interface Changed {
  /** Ascending. */
  readonly ids: readonly number[]
  readonly ignored_because_not_subscribed_channels: number[]
}

/**
 * `ids` are messages that the caller may read. Only what changes is written and told. What gives a client something to
 * hold of a message holds the message: nobody hears of a star after the deletion of what wears it.
 */
export const changeFlags = async (
  tx: FlagTx,
  caller: KnownCaller,
  ids: readonly number[],
  { op, flag }: FlagChange,
): Promise<Changed> => {
  const userId = caller.user.id
  const isUnreading = flag === 'read' && op === 'remove'
  if (isUnreading) await holdChannelsOf(tx.sql, ids)
  if (flag === 'read') await lockReadState(tx.sql, caller.realm.id, userId)
  const foreign = isUnreading ? await unsubscribedChannels(tx.sql, userId, ids) : []
  const skipped = new Set(foreign.flatMap((one) => one.message_ids))
  const present = flag === 'read' && op === 'add' ? ids : await heldMessages(tx.sql, ids)
  const wanted = present.filter((id) => !skipped.has(id))
  const changed = await write(tx.sql, userId, wanted, { op, flag })
  if (changed.length > 0) {
    const audience = { realm: caller.realm.id, users: [userId] }
    const fields = { flag, messages: changed }
    if (op === 'add') tx.emit(updateMessageFlagsAdd, audience, { operation: 'add', ...fields, all: false })
    else {
      const message_details = isUnreading ? await unreadDetails(tx.sql, userId, changed) : undefined
      tx.emit(updateMessageFlagsRemove, audience, {
        operation: 'remove',
        ...fields,
        all: false,
        ...(message_details === undefined ? {} : { message_details }),
      })
    }
  }
  return {
    ids: changed,
    ignored_because_not_subscribed_channels: foreign.map((one) => one.channel_id),
  }
}

const write = (
  sql: Queries,
  userId: number,
  ids: readonly number[],
  { op, flag }: FlagChange,
): Promise<number[]> => {
  if (flag === 'read') return op === 'add' ? markRead(sql, userId, ids) : markUnread(sql, userId, ids)
  return op === 'add' ? addFlag(sql, userId, ids, bitOf(flag)) : removeFlag(sql, userId, ids, bitOf(flag))
}

/** Who leaves a channel does so before something becomes unread there, or after it. */
const holdChannelsOf = async (sql: Queries, messageIds: readonly number[]): Promise<void> => {
  await sql`
    SELECT FROM channels WHERE id IN (
      SELECT channel_id FROM messages WHERE id = ANY (${[...messageIds]}::bigint[])) ORDER BY id FOR SHARE`
}

/** Channels among the messages' that the user is not subscribed to: nothing can be unread there. */
const unsubscribedChannels = (
  sql: Queries,
  userId: number,
  ids: readonly number[],
): Promise<{ channel_id: number; message_ids: number[] }[]> =>
  sql<{ channel_id: number; message_ids: number[] }[]>`
    SELECT m.channel_id, array_agg(m.id) AS message_ids FROM messages m
    WHERE m.id = ANY (${[...ids]}::bigint[]) AND m.channel_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM subscription_periods p
      WHERE p.channel_id = m.channel_id AND p.user_id = ${userId} AND p.to_version IS NULL)
    GROUP BY m.channel_id ORDER BY m.channel_id`

const unreadDetails = async (
  sql: Queries,
  userId: number,
  ids: readonly number[],
): Promise<Record<string, UnreadDetails>> => {
  const rows = await sql<
    {
      id: number
      channel_id: number | null
      topic: string
      user_ids: number[] | null
      is_mentioned: boolean
      is_muted: boolean
    }[]
  >`
    SELECT m.id, m.channel_id, m.topic, v.user_ids,
      (coalesce(f.flags, 0) | m.shared_flags) & ${bitsOf.mentioned} <> 0 AS is_mentioned,
      ${isInMutedPlace(sql, userId)} AS is_muted
    FROM messages m
    LEFT JOIN message_flags f ON f.user_id = ${userId} AND f.message_id = m.id
    LEFT JOIN conversations v ON m.channel_id IS NULL AND v.recipient_id = m.recipient_id
    WHERE m.id = ANY (${[...ids]}::bigint[])`
  return Object.fromEntries(
    rows.map((row) => [
      row.id,
      {
        ...(row.is_mentioned ? { mentioned: true } : {}),
        ...(row.channel_id === null
          ? { type: 'private' as const, user_ids: row.user_ids!.filter((id) => id !== userId) }
          : {
              type: 'stream' as const,
              stream_id: row.channel_id,
              topic: row.topic,
              unmuted_stream_msg: !row.is_muted,
            }),
      },
    ]),
  )
}
