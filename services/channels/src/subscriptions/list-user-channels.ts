import { listUserChannels as contract } from '@parley/contracts/channels/subscriptions'
import { channelsByIds } from '../channels/channel-store.ts'
import { demandPerson } from '../directory/demand-person.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { currentMemberships } from './period-store.ts'
import { channelsOfUser } from './subscription-store.ts'

/** Only those that the caller may know of. */
export const listUserChannels = endpoint(contract, async ({ params, caller, deps }) => {
  const { database } = deps
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const user = await demandPerson(deps, realm, caller.user, params.user_id)
  return database.guard(
    (async () => {
      const { sql } = database
      const ids = await channelsOfUser(sql, realm.id, user.id)
      const own = new Set((await currentMemberships(sql, ids, [actor.id])).map((pair) => pair.channel_id))
      const channels = await channelsByIds(sql, realm.id, ids)
      const known = channels.filter((channel) => mayKnowChannel(actor, channel, own.has(channel.id)))
      return { subscribed_channel_ids: known.map((channel) => channel.id) }
    })(),
  )
})
