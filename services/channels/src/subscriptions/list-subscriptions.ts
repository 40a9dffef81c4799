import { listSubscriptions as contract } from '@parley/contracts/channels/subscriptions'
import { endpoint } from '../room.ts'
import { listFor } from './subscription-listing.ts'

export const listSubscriptions = endpoint(contract, async ({ params, caller, deps }) => {
  const { system_groups } = await deps.realms.get(caller.realm.id)
  const { database } = deps
  const { subscriptions } = await database.guard(
    listFor(database.sql, caller, system_groups, 'subscribed', params.include_subscribers),
  )
  return { subscriptions }
})
