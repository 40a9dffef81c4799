import type { SectionOptions } from '@parley/contracts'
import { subscriptionSection as contract } from '@parley/contracts/channels/sections'
import { Pages } from '@parley/kit'
import { anybody } from '../narrows/anonymous.ts'
import { findActor } from '../permissions/find-actor.ts'
import { pagedSection } from '../room.ts'
import { keptSubscriberTexts, withSubscribers } from './subscriber-lists.ts'
import { type ListingWishes, listFor } from './subscription-listing.ts'
import { firstSettings } from './subscription-presentation.ts'
import { channelsInSnapshot } from './subscription-store.ts'

const wishesOf = (options: SectionOptions): ListingWishes => ({
  includeArchived: options.client_capabilities?.archived_channels === true,
  knowsNull: options.client_capabilities?.notification_settings_null === true,
})

export const subscriptionSection = pagedSection(
  contract,
  async ({ caller, options, sql, deps }) => {
    deps.activity.note(caller.user.id)
    const realm = await deps.realms.get(caller.realm.id)
    const actor = await findActor(deps, caller.user, realm, sql)
    const seen = await channelsInSnapshot(sql, realm.id, actor.id)
    const { states, ...lists } = await listFor(sql, realm, actor, seen, wishesOf(options))
    if (options.include_subscribers === false) return lists
    const kept = {
      texts: deps.subscriberTexts,
      stateOf: ({ stream_id }: { readonly stream_id: number }) => states.get(stream_id)!,
    }
    const pages = withSubscribers(sql, realm.id, options.include_subscribers, (some) =>
      keptSubscriberTexts(sql, realm.id, kept, some),
    )
    return {
      subscriptions: new Pages(() => pages(lists.subscriptions)),
      unsubscribed: new Pages(() => pages(lists.unsubscribed)),
      never_subscribed: new Pages(() => pages(lists.never_subscribed)),
    }
  },
  // Who looks on sees the channels that are everybody's, as if subscribed, which is how clients come to show them, and
  // nobody in them.
  async ({ realm: { id }, options, sql, deps }) => {
    const realm = await deps.realms.get(id)
    const seen = await channelsInSnapshot(sql, id, anybody.id)
    const { never_subscribed } = await listFor(sql, realm, anybody, seen, wishesOf(options))
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
