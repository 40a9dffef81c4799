import { streamUpdate } from '@parley/contracts/channels/events'
import type { Tx } from '@parley/kit'
import type { Realm } from '../directory/realm-store.ts'
import { viewersOf } from '../subscriptions/subscription-store.ts'
import { type ChannelRow, firstMessageOf } from './channel-store.ts'

/**
 * Tells who knows of a channel that its history begins later now, if the oldest of its messages was among those that have
 * gone (level 256). To be called after they have.
 */
export const announceFirstMessage = async (
  tx: Tx<typeof streamUpdate>,
  realm: Realm,
  channel: ChannelRow,
  gone: readonly number[],
): Promise<void> => {
  const oldestGone = gone.reduce((oldest, id) => Math.min(oldest, id), Number.POSITIVE_INFINITY)
  const value = await firstMessageOf(tx.sql, channel.recipient_id)
  if (value === null || value > oldestGone) await announce(tx, realm, channel, value)
}

/** The same, if the history begins earlier now, by messages that were moved there. To be called after they have come. */
export const announceEarlierFirstMessage = async (
  tx: Tx<typeof streamUpdate>,
  realm: Realm,
  channel: ChannelRow,
  arrived: readonly number[],
): Promise<void> => {
  const value = await firstMessageOf(tx.sql, channel.recipient_id)
  if (value !== null && arrived.includes(value)) await announce(tx, realm, channel, value)
}

const announce = async (
  tx: Tx<typeof streamUpdate>,
  realm: Realm,
  channel: ChannelRow,
  value: number | null,
): Promise<void> => {
  const users = await viewersOf(tx.sql, realm, channel)
  if (users.length === 0) return
  const { id: stream_id, name } = channel
  const hidden = channel.is_archived ? { is_archived: true } : {}
  const update = { stream_id, name, property: 'first_message_id', value, ...hidden }
  tx.emit(streamUpdate, { realm: realm.id, users }, update)
}
