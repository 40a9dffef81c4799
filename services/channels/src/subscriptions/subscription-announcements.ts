/** What clients are told when people join channels. */
import { streamCreate, subscriptionAdd, subscriptionPeerAdd } from '@parley/contracts/channels/events'
import type { Tx } from '@parley/kit'
import { presentChannel } from '../channels/channel-presentation.ts'
import { activityOf, type ChannelActivity, type ChannelRow } from '../channels/channel-store.ts'
import type { Realm } from '../directory/realm-store.ts'
import { type Membership, subscribersOf } from './period-store.ts'
import { firstSettings, presentSubscription } from './subscription-presentation.ts'
import { type SubscriptionSettings, strangersWhoKnow, viewersOf } from './subscription-store.ts'

export type SubscriptionEvents = typeof streamCreate | typeof subscriptionAdd | typeof subscriptionPeerAdd

/** People who joined, in the transaction that let them in. */
export interface Joining {
  readonly realm: Realm
  /** As they are now, in the order of IDs. */
  readonly channels: readonly ChannelRow[]
  /** Which of them this transaction made. */
  readonly madeIds: ReadonlySet<number>
  readonly joined: readonly Membership[]
  /** Of those who had settings from an earlier time. */
  readonly keptSettings: readonly (Membership & SubscriptionSettings)[]
}

const noActivity: ChannelActivity = { first_message_id: null, last_message_at: null }

/**
 * Announces in the order that clients rely on: a channel to those who did not know it, then to the subscribed their
 * subscriptions, then to the others who see its members that somebody joined. Users who join the same channels with the
 * same settings share one event, however many they are.
 */
export const announceJoining = async (tx: Tx<SubscriptionEvents>, joining: Joining): Promise<void> => {
  const { realm, madeIds, joined, keptSettings } = joining
  const { id: realmId, system_groups: groups } = realm
  const touched = new Set(joined.map((pair) => pair.channel_id))
  const channels = joining.channels.filter((channel) => touched.has(channel.id))
  const ids = channels.map((channel) => channel.id)
  const activity = new Map((await activityOf(tx.sql, ids)).map((row) => [row.id, row]))
  const now = Math.floor(Date.now() / 1000)
  const shown = (channel: ChannelRow) =>
    presentChannel(channel, activity.get(channel.id) ?? noActivity, groups, now)

  const joinedBy = new Map<number, Set<number>>()
  for (const { channel_id, user_id } of joined) {
    joinedBy.set(channel_id, (joinedBy.get(channel_id) ?? new Set()).add(user_id))
  }
  const viewers = new Map<number, number[]>()
  for (const channel of channels) viewers.set(channel.id, await viewersOf(tx.sql, realm, channel))

  // Channels made together have one privacy and one set of members: one event shows them all.
  const made = channels.filter((channel) => madeIds.has(channel.id))
  if (made.length > 0) {
    const users = viewers.get(made[0]!.id)!
    tx.emit(streamCreate, { realm: realmId, users }, { streams: made.map(shown) })
  }
  for (const channel of channels) {
    if (madeIds.has(channel.id)) continue
    const knew = new Set(await strangersWhoKnow(tx.sql, realm, channel))
    const users = [...joinedBy.get(channel.id)!].filter((id) => !knew.has(id))
    if (users.length === 0) continue
    tx.emit(streamCreate, { realm: realmId, users }, { streams: [shown(channel)] })
  }

  const subscribers = await subscribersOf(tx.sql, ids)
  const present = (channel: ChannelRow, settings: SubscriptionSettings) =>
    presentSubscription(
      channel,
      activity.get(channel.id) ?? noActivity,
      settings,
      groups,
      now,
      subscribers.get(channel.id) ?? [],
    )
  for (const { users, settings } of alike(channels, joinedBy, keptSettings)) {
    const subscriptions = channels
      .filter((channel) => settings.has(channel.id))
      .map((channel) => present(channel, settings.get(channel.id)!))
    tx.emit(subscriptionAdd, { realm: realmId, users }, { subscriptions })
  }

  for (const channel of channels) {
    const user_ids = [...joinedBy.get(channel.id)!]
    const others = viewers.get(channel.id)!.filter((id) => !joinedBy.get(channel.id)!.has(id))
    if (others.length === 0) continue
    tx.emit(subscriptionPeerAdd, { realm: realmId, users: others }, { stream_ids: [channel.id], user_ids })
  }
}

interface Alike {
  readonly users: number[]
  /** By channel, all that they joined. */
  readonly settings: Map<number, SubscriptionSettings>
}

/** Divides those who joined into groups that joined the same channels with the same settings. */
const alike = (
  channels: readonly ChannelRow[],
  joinedBy: ReadonlyMap<number, ReadonlySet<number>>,
  keptSettings: readonly (Membership & SubscriptionSettings)[],
): Alike[] => {
  const kept = new Map<string, SubscriptionSettings>()
  for (const { channel_id, user_id, ...settings } of keptSettings) {
    kept.set(`${channel_id}/${user_id}`, settings)
  }
  const own = new Map<number, Map<number, SubscriptionSettings>>()
  for (const channel of channels) {
    const first = firstSettings(channel.id)
    for (const userId of joinedBy.get(channel.id)!) {
      const settings = own.get(userId) ?? new Map<number, SubscriptionSettings>()
      own.set(userId, settings.set(channel.id, kept.get(`${channel.id}/${userId}`) ?? first))
    }
  }
  const groups = new Map<string, Alike>()
  for (const [userId, settings] of own) {
    const key = JSON.stringify([...settings])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { users: [userId], settings })
    else group.users.push(userId)
  }
  return [...groups.values()]
}
