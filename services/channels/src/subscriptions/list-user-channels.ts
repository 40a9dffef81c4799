import { listUserChannels as contract } from '@parley/contracts/channels/subscriptions'
import { channelsByIds } from '../channels/channel-store.ts'
import { isAdministrator } from '../permissions/actor.ts'
import { mayKnowChannel } from '../permissions/channel-permissions.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { currentMemberships } from './period-store.ts'
import { channelsOfUser } from './subscription-store.ts'

/** Only those that the caller may know of. */
export const listUserChannels = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { database } = deps
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  const user = (await deps.users.byIds(realm.id, [params.user_id])).get(params.user_id)
  const isOwn = user?.id === actor.id || user?.bot_owner_id === actor.id
  if (user === undefined || !(isOwn || isAdministrator(caller.user))) {
    // Who may not ask hears the same of everybody.
    throw refuse('BAD_REQUEST', isAdministrator(caller.user) ? 'No such user' : 'Insufficient permission')
  }
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
