import { type ApiError, type KnownCaller, refuse } from '@parley/contracts'
import type { UserFact } from '@parley/contracts/identity/topics'
import type { Tx } from '@parley/kit'
import {
  type ChannelRow,
  channelsByIds,
  channelsByNames,
  lockChannelsByNames,
  type NewChannel,
} from '../channels/channel-store.ts'
import { type CheckedWishes, makeChannels } from '../channels/new-channels.ts'
import { announceDefaultChannels } from '../default-channels/default-channel-announcements.ts'
import type { Realm } from '../directory/realm-store.ts'
import { deactivatedAmong } from '../directory/user-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayAddSubscribers, mayReadChannel } from '../permissions/channel-permissions.ts'
import { currentMemberships, lockRealmOrder, type Membership, openPeriods } from './period-store.ts'
import { announceJoining, type JoiningEvents } from './subscription-announcements.ts'
import { firstSettings } from './subscription-presentation.ts'
import { demandBounded } from './subscription-rules.ts'
import { giveSettings, type SubscriptionSettings } from './subscription-store.ts'

/** A channel to be joined, made if it does not exist. */
export interface JoinedChannel extends NewChannel {
  readonly color: string | undefined
}

export interface JoinRequest {
  readonly caller: KnownCaller
  readonly actor: Actor
  readonly realm: Realm
  readonly people: readonly UserFact[]
  readonly channels: readonly JoinedChannel[]
  /** What channels that do not exist are to be like. */
  readonly wishes: CheckedWishes
  /** Whether a single channel that the caller may not join is the end of it. */
  readonly isFatal: boolean
}

export interface Joined {
  readonly subscribed: Record<string, string[]>
  readonly already_subscribed: Record<string, string[]>
  readonly unauthorized: string[]
  /** IDs of the channels made. */
  readonly madeIds: ReadonlySet<number>
  /** The channels that the request names and the caller may join, by ID. */
  readonly channels: ReadonlyMap<number, ChannelRow>
  /** Who came into which of them. */
  readonly joined: readonly Membership[]
}

/**
 * Subscribes people to channels, and makes those that do not exist. Locks the rows of the channels in the order of their
 * IDs, and at the very end the realm's order.
 *
 * @throws ApiError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
 */
export const joinChannels = async (tx: Tx<JoiningEvents>, request: JoinRequest): Promise<Joined> => {
  const { caller, actor, realm, people, wishes } = request
  const { sql } = tx
  demandBounded(request.channels, people)
  const names = request.channels.map((channel) => channel.name)
  const personIds = people.map((user) => user.id)
  const existing = new Set(
    (await channelsByNames(sql, realm.id, names)).map((channel) => channel.name.toLowerCase()),
  )
  const missing = request.channels.filter(({ name }) => !existing.has(name.toLowerCase()))
  const madeIds = await makeChannels(sql, { caller, actor, realm }, wishes, missing)
  const channels = await lockChannelsByNames(sql, realm.id, names)
  // What the request was checked with may be of a moment ago.
  const [ended] = await deactivatedAmong(sql, personIds)
  if (ended !== undefined) throw refuse('BAD_REQUEST', `User is deactivated: ${ended}`)
  const before = await currentMemberships(
    sql,
    channels.map((channel) => channel.id),
    [...personIds, caller.user.id],
  )
  const callersChannels = new Set(
    before.filter((pair) => pair.user_id === caller.user.id).map((pair) => pair.channel_id),
  )
  // Who makes a channel is as good as in it.
  const isIn = (id: number): boolean => callersChannels.has(id) || madeIds.has(id)
  const open = channels.filter((channel) => mayReadChannel(actor, channel, isIn(channel.id)))
  const unauthorized = channels.filter((channel) => !open.includes(channel)).map((channel) => channel.name)
  if (request.isFatal && unauthorized.length > 0) throw unableToAccess(unauthorized)
  const isForOthers = personIds.some((id) => id !== caller.user.id)
  if (isForOthers && !open.every((channel) => mayAddSubscribers(actor, realm, channel, isIn(channel.id)))) {
    throw refuse('BAD_REQUEST', 'Insufficient permission')
  }

  const openIds = open.map((channel) => channel.id)
  const joined = await openPeriods(sql, openIds, personIds)
  if (joined.length > 0 || madeIds.size > 0) {
    const first = firstSettingsOf(open, request.channels)
    const keptSettings = await giveSettings(sql, joined, first)
    await announceJoining(tx, {
      realm,
      channels: await channelsByIds(sql, realm.id, openIds),
      madeIds,
      joined,
      firstSettings: first,
      keptSettings,
    })
    if (madeIds.size > 0 && wishes.is_default_stream === true) await announceDefaultChannels(tx, realm.id)
    await lockRealmOrder(sql, realm.id)
  }

  const nameOf = new Map(channels.map((channel) => [channel.id, channel.name]))
  const asked = new Set(personIds)
  const wasThere = before.filter((pair) => asked.has(pair.user_id) && openIds.includes(pair.channel_id))
  return {
    subscribed: namesByUser(joined, nameOf),
    already_subscribed: namesByUser(wasThere, nameOf),
    unauthorized,
    madeIds,
    channels: new Map(open.map((channel) => [channel.id, channel])),
    joined,
  }
}

const unableToAccess = (names: readonly string[]): ApiError =>
  refuse('BAD_REQUEST', `Unable to access channel (${names.join(', ')}).`)

/** What a subscription to each channel is like at first: the color that was asked for, and push where the channel says so. */
const firstSettingsOf = (
  channels: readonly { id: number; name: string; default_push_notifications: boolean }[],
  wanted: readonly JoinedChannel[],
): ReadonlyMap<number, SubscriptionSettings> => {
  const colors = new Map(wanted.map(({ name, color }) => [name.toLowerCase(), color]))
  return new Map(
    channels.map((channel) => {
      const first = firstSettings(channel)
      return [channel.id, { ...first, color: colors.get(channel.name.toLowerCase()) ?? first.color }]
    }),
  )
}

/** Names of channels by user ID as text, as clients read it. */
const namesByUser = (
  memberships: readonly Membership[],
  nameOf: ReadonlyMap<number, string>,
): Record<string, string[]> => {
  const names: Record<string, string[]> = {}
  for (const { channel_id, user_id } of memberships) {
    const own = names[user_id] ?? []
    own.push(nameOf.get(channel_id)!)
    names[user_id] = own
  }
  return names
}
