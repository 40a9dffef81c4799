import { listUserChannels as contract } from '@parley/contracts/channels/subscriptions'
import { isAdministrator } from '../permissions/actor.ts'
import { endpoint } from '../room.ts'
import { channelsOfUser } from './subscription-store.ts'

export const listUserChannels = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { database } = deps
  const user = (await deps.users.byIds(caller.realm.id, [params.user_id])).get(params.user_id)
  const isOwn = user?.id === caller.user.id || user?.bot_owner_id === caller.user.id
  if (user === undefined || !(isOwn || isAdministrator(caller.user))) {
    // Who may not ask hears the same of everybody.
    throw refuse('BAD_REQUEST', isAdministrator(caller.user) ? 'No such user' : 'Insufficient permission')
  }
  const found = channelsOfUser(database.sql, caller.realm.id, user.id)
  return { subscribed_channel_ids: await database.guard(found) }
})
