import { type Channel, type Subscription, withoutNull } from '@parley/contracts/objects/channel'
import { presentChannel } from '../channels/channel-presentation.ts'
import type { Realm } from '../directory/realm-store.ts'
import type { Actor } from '../permissions/actor.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import type { Queries } from '../room.ts'
import { inheritedBy } from './inherited-settings.ts'
import { presentSubscription } from './subscription-presentation.ts'
import type { SeenChannel, SubscriptionSettings } from './subscription-store.ts'

type WithSettings = SeenChannel & SubscriptionSettings
const hasSettings = (row: SeenChannel): row is WithSettings => row.color !== null

/** What a client wants to be told of channels. */
export interface ListingWishes {
  readonly includeArchived: boolean
  /** Whether the client knows settings that are null. */
  readonly knowsNull: boolean
}

/** Channels as one user knows them, in the three groups of a registration, without those who are in them. */
interface Listing {
  readonly subscriptions: Subscription[]
  readonly unsubscribed: Subscription[]
  readonly never_subscribed: Channel[]
  /** The state of each channel's row, by ID. */
  readonly states: ReadonlyMap<number, string>
}

/** Lists those of some channels that the user may know. */
export const listFor = async (
  sql: Queries,
  realm: Pick<Realm, 'system_groups'>,
  actor: Actor,
  seen: readonly SeenChannel[],
  { includeArchived, knowsNull }: ListingWishes,
): Promise<Listing> => {
  const rows = seen.filter(
    (row) => (includeArchived || !row.is_archived) && mayKnowChannel(actor, row, row.is_subscribed),
  )
  const groups = realm.system_groups
  const now = Math.floor(Date.now() / 1000)
  const inherited = knowsNull ? undefined : (await inheritedBy(sql, [actor.id]))(actor.id)
  const present = (row: WithSettings) => {
    const subscription = presentSubscription(row, row, row, groups, now)
    return inherited === undefined ? subscription : withoutNull(subscription, inherited)
  }
  const known = rows.filter(hasSettings)
  return {
    subscriptions: known.filter((row) => row.is_subscribed).map(present),
    unsubscribed: known.filter((row) => !row.is_subscribed).map(present),
    never_subscribed: rows
      .filter((row) => !hasSettings(row))
      .map((row) => presentChannel(row, row, groups, now)),
    states: new Map(rows.map(({ id, state }) => [id, state])),
  }
}
