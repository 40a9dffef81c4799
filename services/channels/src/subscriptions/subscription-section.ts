import { subscriptionSection as contract } from '@parley/contracts/channels/sections'
import { section } from '../room.ts'
import { listFor } from './subscription-listing.ts'

export const subscriptionSection = section(contract, async ({ caller, options, sql, deps }) => {
  const { system_groups } = await deps.realms.get(caller.realm.id)
  return listFor(sql, caller, system_groups, 'all', options.include_subscribers)
})
