import { listSubscriptions as contract } from '@parley/contracts/channels/subscriptions'
import type { Subscription } from '@parley/contracts/objects/channel'
import { PiecedReply } from '@parley/kit'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { subscriberTexts, withSubscribers } from './subscriber-lists.ts'
import { listFor } from './subscription-listing.ts'
import { channelsSeenBy } from './subscription-store.ts'

export const listSubscriptions = endpoint(contract, async ({ params, caller, deps }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const { sql } = deps.database
  const seen = await channelsSeenBy(sql, realm.id, actor.id, 'subscribed')
  const { subscriptions } = await listFor(sql, realm, actor, seen, {
    includeArchived: false,
    knowsNull: true,
  })
  const { include_subscribers } = params
  if (include_subscribers === false) return { subscriptions }
  const pages = withSubscribers(sql, realm.id, include_subscribers, (some) =>
    subscriberTexts(sql, realm.id, some),
  )
  return new PiecedReply(pieces(subscriptions, pages))
})

/** The whole reply, some channels at a time, with lists of subscribers that are text already. */
async function* pieces(
  subscriptions: readonly Subscription[],
  pages: (subscriptions: readonly Subscription[]) => AsyncIterable<string>,
): AsyncGenerator<string> {
  let text = '{"result":"success","msg":"","subscriptions":['
  for await (const page of pages(subscriptions)) {
    yield text + page
    text = ','
  }
  yield subscriptions.length === 0 ? `${text}]}` : ']}'
}
