import type { SectionOptions } from '@parley/contracts'
import { subscriptionSection as contract } from '@parley/contracts/channels/sections'
import { anybody } from '../narrows/anonymous.ts'
import { findActor } from '../permissions/find-actor.ts'
import { section } from '../room.ts'
import { type ListingWishes, listFor } from './subscription-listing.ts'
import { firstSettings } from './subscription-presentation.ts'

const wishesOf = (options: SectionOptions): ListingWishes => ({
  which: 'all',
  includeSubscribers: options.include_subscribers,
  includeArchived: options.client_capabilities?.archived_channels === true,
  knowsNull: options.client_capabilities?.notification_settings_null === true,
})

export const subscriptionSection = section(
  contract,
  async ({ caller, options, sql, deps }) => {
    deps.activity.note(caller.user.id)
    const realm = await deps.realms.get(caller.realm.id)
    return listFor(sql, realm, await findActor(deps, caller.user, realm, sql), wishesOf(options))
  },
  // Who looks on sees the channels that are everybody's, as if subscribed, which is how clients come to show them, and
  // nobody in them.
  async ({ realm, options, sql, deps }) => {
    const wishes = { ...wishesOf(options), includeSubscribers: false }
    const { never_subscribed } = await listFor(sql, await deps.realms.get(realm.id), anybody, wishes)
    const people = options.include_subscribers === false ? {} : { subscribers: [] }
    return {
      subscriptions: never_subscribed.map((channel) => ({
        ...channel,
        ...people,
        ...firstSettings({ ...channel, id: channel.stream_id }),
        in_home_view: true,
      })),
      unsubscribed: [],
      never_subscribed: [],
    }
  },
)
