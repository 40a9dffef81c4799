import type { SectionData } from '@parley/contracts'
import type { subscriptionSection } from '@parley/contracts/channels/sections'
import { withoutNull } from '@parley/contracts/objects/channel'
import { presentChannel } from '../channels/channel-presentation.ts'
import type { Realm } from '../directory/realm-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import type { Queries } from '../room.ts'
import { inheritedBy } from './inherited-settings.ts'
import { subscribersOf } from './period-store.ts'
import { mainSubscribersOf } from './subscriber-lists.ts'
import { type NamedMembers, presentSubscription } from './subscription-presentation.ts'
import { channelsSeenBy, type SeenChannel, type SubscriptionSettings } from './subscription-store.ts'

type WithSettings = SeenChannel & SubscriptionSettings
const hasSettings = (row: SeenChannel): row is WithSettings => row.color !== null

/** What a client wants to be told of channels. */
export interface ListingWishes {
  readonly which: 'all' | 'subscribed'
  /** `partial`: of large channels at least the bots, and who was active lately. */
  readonly includeSubscribers: boolean | 'partial'
  readonly includeArchived: boolean
  /** Whether the client knows settings that are null. */
  readonly knowsNull: boolean
}

/** Everything about channels that one user may know, in the three groups of a registration. */
export const listFor = async (
  sql: Queries,
  realm: Pick<Realm, 'id' | 'system_groups'>,
  actor: Actor,
  { which, includeSubscribers, includeArchived, knowsNull }: ListingWishes,
): Promise<SectionData<typeof subscriptionSection>> => {
  const rows = (await channelsSeenBy(sql, realm.id, actor.id, which)).filter(
    (row) => (includeArchived || !row.is_archived) && mayKnowChannel(actor, row, row.is_subscribed),
  )
  const membersOf = await namedMembers(sql, realm.id, rows, includeSubscribers)
  const groups = realm.system_groups
  const now = Math.floor(Date.now() / 1000)
  const inherited = knowsNull ? undefined : (await inheritedBy(sql, [actor.id]))(actor.id)
  const present = (row: WithSettings) => {
    const subscription = presentSubscription(row, row, row, groups, now, membersOf(row))
    return inherited === undefined ? subscription : withoutNull(subscription, inherited)
  }
  const known = rows.filter(hasSettings)
  return {
    subscriptions: known.filter((row) => row.is_subscribed).map(present),
    unsubscribed: known.filter((row) => !row.is_subscribed).map(present),
    never_subscribed: rows
      .filter((row) => !hasSettings(row))
      .map((row) => ({ ...presentChannel(row, row, groups, now), ...membersOf(row) })),
  }
}

const namedMembers = async (
  sql: Queries,
  realmId: number,
  rows: readonly SeenChannel[],
  wish: boolean | 'partial',
): Promise<(row: SeenChannel) => NamedMembers> => {
  if (wish === false) return () => ({})
  if (wish === 'partial') {
    const main = await mainSubscribersOf(sql, realmId, rows)
    return ({ id }) => {
      const { user_ids, isPart } = main.get(id) ?? { user_ids: [], isPart: false }
      return isPart ? { partial_subscribers: user_ids } : { subscribers: user_ids }
    }
  }
  const ids = rows.map((row) => row.id)
  const all = await subscribersOf(sql, ids)
  return ({ id }) => ({ subscribers: all.get(id) ?? [] })
}
