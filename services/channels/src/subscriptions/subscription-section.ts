import { subscriptionSection as contract } from '@parley/contracts/channels/sections'
import { findActor } from '../permissions/find-actor.ts'
import { section } from '../room.ts'
import { listFor } from './subscription-listing.ts'

export const subscriptionSection = section(contract, async ({ caller, options, sql, deps }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm, sql)
  return listFor(
    sql,
    caller,
    actor,
    realm.system_groups,
    'all',
    options.include_subscribers,
    options.client_capabilities?.archived_channels === true,
  )
})
