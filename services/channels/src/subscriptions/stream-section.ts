import { streamSection as contract } from '@parley/contracts/channels/sections'
import { presentChannel } from '../channels/channel-presentation.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { section } from '../room.ts'
import { channelsSeenBy } from './subscription-store.ts'

export const streamSection = section(contract, async ({ caller, options, sql, deps }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm, sql)
  const rows = await channelsSeenBy(sql, realm.id, caller.user.id, 'all')
  const knowsArchived = options.client_capabilities?.archived_channels === true
  const now = Math.floor(Date.now() / 1000)
  return {
    streams: rows
      .filter((row) => knowsArchived || !row.is_archived)
      .filter((row) => mayKnowChannel(actor, row, row.is_subscribed))
      .map((row) => presentChannel(row, row, realm.system_groups, now)),
  }
})
