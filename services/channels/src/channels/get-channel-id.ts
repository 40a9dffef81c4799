import { getChannelId as contract } from '@parley/contracts/channels/channels'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { currentMemberships } from '../subscriptions/period-store.ts'
import { channelsByNames } from './channel-store.ts'

export const getChannelId = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { database } = deps
  const name = params.stream.trim().normalize()
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const [channel] = await database.guard(channelsByNames(database.sql, realm.id, [name]))
  const memberships =
    channel && (await database.guard(currentMemberships(database.sql, [channel.id], [actor.id])))
  if (channel === undefined || !mayKnowChannel(actor, channel, memberships!.length > 0)) {
    throw refuse('BAD_REQUEST', `Invalid channel name '${params.stream}'`)
  }
  return { stream_id: channel.id }
})
