import { listSubscriptions as contract } from '@parley/contracts/channels/subscriptions'
import type { Subscription } from '@parley/contracts/objects/channel'
import { PreparedReply } from '@parley/kit'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { subscriberTexts } from './period-store.ts'
import { listFor } from './subscription-listing.ts'

export const listSubscriptions = endpoint(contract, async ({ params, caller, deps }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const { database } = deps
  const { include_subscribers } = params
  const wishes = { which: 'subscribed', includeArchived: false, knowsNull: true } as const
  if (include_subscribers !== true) {
    const includeSubscribers = include_subscribers
    const listed = listFor(database.sql, realm, actor, { ...wishes, includeSubscribers })
    return { subscriptions: (await database.guard(listed)).subscriptions }
  }
  const { subscriptions } = await database.guard(
    listFor(database.sql, realm, actor, { ...wishes, includeSubscribers: false }),
  )
  const ids = subscriptions.map((subscription) => subscription.stream_id)
  return new PreparedReply(replyWith(subscriptions, await database.guard(subscriberTexts(database.sql, ids))))
})

/** The whole reply, with lists of subscribers that are text already. */
const replyWith = (
  subscriptions: readonly Subscription[],
  subscribers: ReadonlyMap<number, string>,
): string => {
  const parts = subscriptions.map((subscription) => {
    const people = subscribers.get(subscription.stream_id) ?? '[]'
    return `${JSON.stringify(subscription).slice(0, -1)},"subscribers":${people}}`
  })
  return `{"result":"success","msg":"","subscriptions":[${parts.join()}]}`
}
