import { listChannels as contract } from '@parley/contracts/channels/subscriptions'
import { isGuest } from '../permissions/actor.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { channelsSeenBy } from '../subscriptions/subscription-store.ts'
import { presentChannel } from './channel-presentation.ts'

export const listChannels = endpoint(contract, async ({ params, caller, deps }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const { system_groups } = realm
  const rows = await deps.database.guard(
    channelsSeenBy(deps.database.sql, caller.realm.id, caller.user.id, 'all'),
  )
  const now = Math.floor(Date.now() / 1000)
  const streams = rows
    .filter((row) => {
      if (params.exclude_archived && row.is_archived) return false
      return (
        (params.include_subscribed && row.is_subscribed) ||
        (params.include_public && !row.invite_only && !isGuest(caller.user)) ||
        (params.include_all && mayKnowChannel(actor, row, row.is_subscribed))
      )
    })
    .map((row) => presentChannel(row, row, system_groups, now))
  return { streams }
})
