import { listSubscriptions as contract } from '@parley/contracts/channels/subscriptions'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { listFor } from './subscription-listing.ts'

export const listSubscriptions = endpoint(contract, async ({ params, caller, deps }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const { database } = deps
  const { subscriptions } = await database.guard(
    listFor(database.sql, realm, actor, {
      which: 'subscribed',
      includeSubscribers: params.include_subscribers,
      includeArchived: false,
      knowsNull: true,
    }),
  )
  return { subscriptions }
})
