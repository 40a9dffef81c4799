import { listSubscriptions as contract } from '@parley/contracts/channels/subscriptions'
import type { Subscription } from '@parley/contracts/objects/channel'
import type { Database } from '@parley/db'
import { PiecedReply } from '@parley/kit'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { channelsAtATime, isNamedInPart, mainPeople, subscriberTexts } from './subscriber-lists.ts'
import { listFor } from './subscription-listing.ts'

export const listSubscriptions = endpoint(contract, async ({ params, caller, deps }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const { database } = deps
  const wishes = {
    which: 'subscribed',
    includeSubscribers: false,
    includeArchived: false,
    knowsNull: true,
  } as const
  const { subscriptions } = await database.guard(listFor(database.sql, realm, actor, wishes))
  const { include_subscribers } = params
  if (include_subscribers === false) return { subscriptions }
  return new PiecedReply(pieces(database, realm.id, subscriptions, include_subscribers))
})

/** The whole reply, some channels at a time, with lists of subscribers that are text already. */
async function* pieces(
  { sql, guard }: Pick<Database, 'sql' | 'guard'>,
  realmId: number,
  subscriptions: readonly Subscription[],
  wish: true | 'partial',
): AsyncGenerator<string> {
  const isPart = (subscription: Subscription): boolean => wish === 'partial' && isNamedInPart(subscription)
  const people = subscriptions.some(isPart) ? await guard(mainPeople(sql, realmId)) : []
  const textsOf = (some: readonly Subscription[], among?: readonly number[]) =>
    guard(subscriberTexts(sql, realmId, some, among))
  let text = '{"result":"success","msg":"","subscriptions":['
  for (let first = 0; first < subscriptions.length; first += channelsAtATime) {
    const some = subscriptions.slice(first, first + channelsAtATime)
    const whole = await textsOf(some.filter((subscription) => !isPart(subscription)))
    const main = await textsOf(some.filter(isPart), people)
    const parts = some.map((subscription) => {
      const { stream_id } = subscription
      const named = isPart(subscription)
        ? `"partial_subscribers":${main.get(stream_id)}`
        : `"subscribers":${whole.get(stream_id)}`
      return `${JSON.stringify(subscription).slice(0, -1)},${named}}`
    })
    yield text + parts.join()
    text = ','
  }
  yield subscriptions.length === 0 ? `${text}]}` : ']}'
}
