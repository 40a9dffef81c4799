/** What clients are told when people join channels. */

import type { defaultStreamsEvent } from '@parley/contracts/channels/events'
import { streamCreate, subscriptionAdd, subscriptionPeerAdd } from '@parley/contracts/channels/events'
import type { Subscription } from '@parley/contracts/objects/channel'
import type { Tx } from '@parley/kit'
import { presentChannel } from '../channels/channel-presentation.ts'
import { activityOf, type ChannelActivity, type ChannelRow } from '../channels/channel-store.ts'
import { publishCompany } from '../directory/company.ts'
import type { Realm } from '../directory/realm-store.ts'
import { withShownSettings } from '../permissions/shown-settings.ts'
import { type InheritedBy, inheritedBy } from './inherited-settings.ts'
import { knownSets, peerNews } from './peer-news.ts'
import { type Membership, subscribersOf } from './period-store.ts'
import { presentSubscription } from './subscription-presentation.ts'
import { type SubscriptionSettings, strangersByChannel } from './subscription-store.ts'

export type JoiningEvents =
  | typeof streamCreate
  | typeof subscriptionAdd
  | typeof subscriptionPeerAdd
  | typeof defaultStreamsEvent

/** People who joined, in the transaction that let them in. */
export interface Joining {
  readonly realm: Realm
  /** As they are now, in the order of IDs. */
  readonly channels: readonly ChannelRow[]
  /** Which of them this transaction made. */
  readonly madeIds: ReadonlySet<number>
  readonly joined: readonly Membership[]
  /** What a subscription to each channel is like at first. */
  readonly firstSettings: ReadonlyMap<number, SubscriptionSettings>
  /** Of those who had settings from an earlier time. */
  readonly keptSettings: readonly (Membership & SubscriptionSettings)[]
}

const noActivity: ChannelActivity = {
  first_message_id: null,
  recent_messages: 0,
}

/** Characters of the channels in one event. An announcement is at most 4 MiB, and a character at most three bytes. */
const maxCharacters = 2 ** 20
/** Of a subscriber among others. */
const charactersOfId = 8

/**
 * Announces in the order that clients rely on: a channel to those who did not know it, then to the subscribed their
 * subscriptions, then to the others who see its members that somebody joined. Users who join the same channels with the
 * same settings share one event, however many they are.
 */
export const announceJoining = async (tx: Tx<JoiningEvents>, joining: Joining): Promise<void> => {
  const { realm, madeIds, joined } = joining
  publishCompany(
    tx,
    realm,
    joined.map((pair) => pair.user_id),
  )
  const touched = new Set([...joined.map((pair) => pair.channel_id), ...madeIds])
  const channels = await withShownSettings(
    tx.sql,
    joining.channels.filter((channel) => touched.has(channel.id)),
  )
  const ids = channels.map((channel) => channel.id)
  const activity = new Map((await activityOf(tx.sql, ids)).map((row) => [row.id, row]))
  const subscribers = await subscribersOf(tx.sql, ids)
  const strangers = await strangersByChannel(tx.sql, realm, channels)
  const now = Math.floor(Date.now() / 1000)
  const activityIn = (channel: ChannelRow) => activity.get(channel.id) ?? noActivity
  const shown = (channel: ChannelRow) =>
    presentChannel(channel, activityIn(channel), realm.system_groups, now)
  const joinedBy = new Map<number, Set<number>>(ids.map((id) => [id, new Set()]))
  for (const { channel_id, user_id } of joined) joinedBy.get(channel_id)!.add(user_id)

  // Channels made together have one privacy and one set of members: they are shown together.
  const made = channels.filter((channel) => madeIds.has(channel.id))
  const [first] = made
  if (first !== undefined) {
    const users = [...new Set([...strangers.get(first.id)!, ...(subscribers.get(first.id) ?? [])])]
    for (const streams of users.length === 0 ? [] : inParts(made.map(shown))) {
      tx.emit(streamCreate, { realm: realm.id, users }, { streams })
    }
  }
  const setOf = knownSets()
  for (const channel of channels) {
    if (madeIds.has(channel.id)) continue
    const knew = setOf(strangers.get(channel.id)!)
    const users = [...joinedBy.get(channel.id)!].filter((id) => !knew.has(id))
    if (users.length === 0) continue
    tx.emit(streamCreate, { realm: realm.id, users }, { streams: [shown(channel)] })
  }

  const inherited = await inheritedBy(
    tx.sql,
    joined.map((pair) => pair.user_id),
  )
  for (const { users, settings } of alike(joining, channels, joinedBy, inherited)) {
    const subscriptions = channels
      .filter((channel) => settings.has(channel.id))
      .map((channel) => {
        const own = settings.get(channel.id)!
        const people = subscribers.get(channel.id) ?? []
        return presentSubscription(channel, activityIn(channel), own, realm.system_groups, now, {
          subscribers: people,
        })
      })
    for (const part of inParts(subscriptions)) {
      tx.emit(
        subscriptionAdd,
        { realm: realm.id, users },
        { subscriptions: part, inherited: inherited(users[0]!) },
      )
    }
  }

  const archived = archivedAmong(channels)
  const arrivals = channels.map(({ id }) => ({ stream_id: id, user_ids: [...joinedBy.get(id)!] }))
  for (const { users, stream_ids, user_ids } of peerNews(arrivals, strangers, subscribers)) {
    tx.emit(subscriptionPeerAdd, { realm: realm.id, users }, { stream_ids, user_ids, ...archived })
  }
}

/** Which channels are archived, for events that are shaped by it; nothing where none is. */
export const archivedAmong = (
  channels: readonly Pick<ChannelRow, 'id' | 'is_archived'>[],
): { archived_stream_ids?: number[] } => {
  const ids = channels.filter((channel) => channel.is_archived).map(({ id }) => id)
  return ids.length === 0 ? {} : { archived_stream_ids: ids }
}

/** Divides channels so that no part is larger than one event; one alone is never divided. */
const inParts = <Listed extends Pick<Subscription, 'stream_id' | 'subscribers'>>(
  channels: readonly Listed[],
): Listed[][] => {
  const parts: Listed[][] = []
  let listed = Number.POSITIVE_INFINITY
  for (const channel of channels) {
    const { subscribers = [], ...rest } = channel
    const size = JSON.stringify(rest).length + charactersOfId * subscribers.length
    if (listed + size > maxCharacters) {
      parts.push([])
      listed = 0
    }
    parts.at(-1)!.push(channel)
    listed += size
  }
  return parts
}

interface Alike {
  readonly users: number[]
  /** By channel, all that they joined. */
  readonly settings: Map<number, SubscriptionSettings>
}

/** Divides those who joined into groups that joined the same channels with the same settings, which mean the same. */
const alike = (
  { firstSettings, keptSettings }: Joining,
  channels: readonly ChannelRow[],
  joinedBy: ReadonlyMap<number, ReadonlySet<number>>,
  inherited: InheritedBy,
): Alike[] => {
  const kept = new Map<string, SubscriptionSettings>()
  for (const { channel_id, user_id, ...settings } of keptSettings) {
    kept.set(`${channel_id}/${user_id}`, settings)
  }
  const own = new Map<number, Map<number, SubscriptionSettings>>()
  for (const channel of channels) {
    const first = firstSettings.get(channel.id)!
    for (const userId of joinedBy.get(channel.id)!) {
      const settings = own.get(userId) ?? new Map<number, SubscriptionSettings>()
      own.set(userId, settings.set(channel.id, kept.get(`${channel.id}/${userId}`) ?? first))
    }
  }
  const groups = new Map<string, Alike>()
  for (const [userId, settings] of own) {
    const key = JSON.stringify([...settings, inherited(userId)])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { users: [userId], settings })
    else group.users.push(userId)
  }
  return [...groups.values()]
}
