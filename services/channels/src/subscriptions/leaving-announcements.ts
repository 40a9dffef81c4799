/** What clients are told when people leave channels. */
import { streamDelete, subscriptionPeerRemove, subscriptionRemove } from '@parley/contracts/channels/events'
import type { Tx } from '@parley/kit'
import type { ChannelRow } from '../channels/channel-store.ts'
import { publishCompany } from '../directory/company.ts'
import type { Realm } from '../directory/realm-store.ts'
import { knownSets, peerNews } from './peer-news.ts'
import { subscribersOf } from './period-store.ts'
import { archivedAmong } from './subscription-announcements.ts'
import { strangersByChannel } from './subscription-store.ts'

export type LeavingEvents = typeof subscriptionRemove | typeof streamDelete | typeof subscriptionPeerRemove

/** Who leaves one channel; to be announced before they have left. */
export interface Leaving {
  readonly channel: ChannelRow
  readonly userIds: readonly number[]
}

/**
 * Announces, in the order that clients rely on: to those who leave that they left, then to those of them who may not
 * know of the channel any more that it is gone, then to the others who see its members that somebody left. Users and
 * channels that are alike share one event.
 */
export const announceLeaving = async (
  tx: Tx<LeavingEvents>,
  realm: Realm,
  leaving: readonly Leaving[],
): Promise<void> => {
  publishCompany(
    tx,
    realm,
    leaving.flatMap(({ userIds }) => userIds),
  )
  const present = await subscribersOf(
    tx.sql,
    leaving.map(({ channel }) => channel.id),
  )
  const strangersOf = await strangersByChannel(
    tx.sql,
    realm,
    leaving.map(({ channel }) => channel),
  )
  const setOf = knownSets()
  const lost = new Map<number, number[]>()
  const left = new Map<number, ChannelRow[]>()
  for (const { channel, userIds } of leaving) {
    const strangers = setOf(strangersOf.get(channel.id)!)
    for (const id of userIds) {
      append(left, id, channel)
      if (!strangers.has(id)) append(lost, id, channel.id)
    }
  }

  const archived = archivedAmong(leaving.map(({ channel }) => channel))
  for (const [channels, users] of alike(left, (channel) => channel.id)) {
    const subscriptions = channels.map(({ id, name }) => ({ stream_id: id, name }))
    tx.emit(subscriptionRemove, { realm: realm.id, users }, { subscriptions, ...archived })
  }
  for (const [stream_ids, users] of alike(lost, (id) => id)) {
    const streams = stream_ids.map((stream_id) => ({ stream_id }))
    tx.emit(streamDelete, { realm: realm.id, users }, { stream_ids, streams })
  }
  const departures = leaving.map(({ channel, userIds }) => ({ stream_id: channel.id, user_ids: userIds }))
  for (const { users, stream_ids, user_ids } of peerNews(departures, strangersOf, present)) {
    tx.emit(subscriptionPeerRemove, { realm: realm.id, users }, { stream_ids, user_ids, ...archived })
  }
}

const append = <V>(lists: Map<number, V[]>, key: number, value: V): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** Users with the same list, together. */
const alike = <V>(lists: ReadonlyMap<number, V[]>, keyOf: (value: V) => number): [V[], number[]][] => {
  const groups = new Map<string, [V[], number[]]>()
  for (const [user, values] of lists) {
    const key = values.map(keyOf).join()
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [values, [user]])
    else group[1].push(user)
  }
  return [...groups.values()]
}
