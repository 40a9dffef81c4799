import type { KnownCaller, SectionData } from '@parley/contracts'
import type { subscriptionSection } from '@parley/contracts/channels/sections'
import { presentChannel } from '../channels/channel-presentation.ts'
import type { Actor, SystemGroups } from '../permissions/actor.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import type { Queries } from '../room.ts'
import { subscribersOf } from './period-store.ts'
import { presentSubscription } from './subscription-presentation.ts'
import { channelsSeenBy, type SeenChannel, type SubscriptionSettings } from './subscription-store.ts'

type WithSettings = SeenChannel & SubscriptionSettings
const hasSettings = (row: SeenChannel): row is WithSettings => row.color !== null

/**
 * Everything about channels that one user may know, in the three groups of a registration. `partial` asks for at least
 * the bots and the recently active among the subscribers; all of them are given.
 */
export const listFor = async (
  sql: Queries,
  caller: KnownCaller,
  actor: Actor,
  groups: SystemGroups,
  which: 'all' | 'subscribed',
  includeSubscribers: boolean | 'partial',
  includeArchived: boolean,
): Promise<SectionData<typeof subscriptionSection>> => {
  const rows = (await channelsSeenBy(sql, caller.realm.id, caller.user.id, which)).filter(
    (row) => (includeArchived || !row.is_archived) && mayKnowChannel(actor, row, row.is_subscribed),
  )
  const subscribers =
    includeSubscribers === false
      ? undefined
      : await subscribersOf(
          sql,
          rows.map((row) => row.id),
        )
  const now = Math.floor(Date.now() / 1000)
  const subscribersIn = (row: SeenChannel) => subscribers && (subscribers.get(row.id) ?? [])
  const present = (row: WithSettings) => presentSubscription(row, row, row, groups, now, subscribersIn(row))
  const known = rows.filter(hasSettings)
  return {
    subscriptions: known.filter((row) => row.is_subscribed).map(present),
    unsubscribed: known.filter((row) => !row.is_subscribed).map(present),
    never_subscribed: rows
      .filter((row) => !hasSettings(row))
      .map((row) => {
        const people = subscribersIn(row)
        return { ...presentChannel(row, row, groups, now), ...(people && { subscribers: people }) }
      }),
  }
}
