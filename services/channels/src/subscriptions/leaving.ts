import { type ApiError, refuse } from '@parley/contracts'
import type { updateMessageFlagsAdd } from '@parley/contracts/channels/message-events'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import { type ChannelRow, lockChannelsByNames } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayKnowChannel, mayRemoveSubscriber } from '../permissions/channel-permissions.ts'
import { announceRead } from '../read-state/read-announcements.ts'
import { unreadByLeaving } from '../read-state/read-store.ts'
import { announceLeaving, type LeavingEvents } from './leaving-announcements.ts'
import { closePeriods, currentMemberships, lockRealmOrder } from './period-store.ts'
import { demandBounded } from './subscription-rules.ts'

export interface LeaveRequest {
  readonly actor: Actor
  readonly realm: Realm
  readonly people: readonly UserFact[]
  /** As sent. */
  readonly names: readonly string[]
}

/**
 * Unsubscribes people from channels. Locks the rows of the channels in the order of their IDs, then the realm's order.
 *
 * @returns names of the channels that somebody was unsubscribed from, and of those that somebody was not subscribed to.
 * @throws ApiError STREAM_DOES_NOT_EXIST for the first name that the caller knows no channel of; BAD_REQUEST.
 */
export const leaveChannels = async (
  tx: Tx<LeavingEvents | typeof updateMessageFlagsAdd>,
  request: LeaveRequest,
): Promise<{ removed: string[]; not_removed: string[] }> => {
  const { actor, realm, people } = request
  const { sql } = tx
  demandBounded(request.names, people)
  const wanted = request.names.map((name) => ({ sent: name, key: name.trim().normalize().toLowerCase() }))
  const locked = await lockChannelsByNames(
    sql,
    realm.id,
    wanted.map(({ key }) => key),
  )
  const ids = people.map((user) => user.id)
  const current = await currentMemberships(
    sql,
    locked.map((channel) => channel.id),
    [...ids, actor.id],
  )
  const pairs = new Set(current.map((pair) => pairKey(pair.channel_id, pair.user_id)))
  const byName = new Map(locked.map((channel) => [channel.name.toLowerCase(), channel]))
  const channels = new Map<number, ChannelRow>()
  for (const { sent, key } of wanted) {
    const channel = byName.get(key)
    const isKnown =
      channel !== undefined && mayKnowChannel(actor, channel, pairs.has(pairKey(channel.id, actor.id)))
    if (!isKnown) throw noSuchChannel(sent)
    channels.set(channel.id, channel)
  }
  for (const channel of channels.values()) {
    const isIn = pairs.has(pairKey(channel.id, actor.id))
    const mayRemove = (user: UserFact): boolean =>
      user.id === actor.id || mayRemoveSubscriber(actor, channel, isIn, user)
    if (!people.every(mayRemove)) throw refuse('BAD_REQUEST', 'Insufficient permission')
  }

  const leaving = [...channels.values()]
    .map((channel) => ({ channel, userIds: ids.filter((id) => pairs.has(pairKey(channel.id, id))) }))
    .filter(({ userIds }) => userIds.length > 0)
  if (leaving.length > 0) {
    await announceLeaving(tx, realm, leaving)
    // What is sent from here on finds them gone.
    await lockRealmOrder(sql, realm.id)
    const gone = leaving.flatMap(({ channel, userIds }) =>
      userIds.map((user_id) => ({ channel_id: channel.id, user_id })),
    )
    announceRead(tx, realm.id, await unreadByLeaving(sql, gone))
    await closePeriods(
      sql,
      realm.id,
      leaving.map(({ channel }) => channel.id),
      ids,
    )
  }
  const all = [...channels.values()]
  const stays = (channel: ChannelRow) => ids.some((id) => !pairs.has(pairKey(channel.id, id)))
  return {
    removed: leaving.map(({ channel }) => channel.name),
    not_removed: all.filter(stays).map((channel) => channel.name),
  }
}

const pairKey = (channelId: number, userId: number): string => `${channelId}/${userId}`

const noSuchChannel = (name: string): ApiError =>
  refuse('STREAM_DOES_NOT_EXIST', `Channel '${name}' does not exist`, { stream: name })
