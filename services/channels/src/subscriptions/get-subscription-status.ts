import { getSubscriptionStatus as contract } from '@parley/contracts/channels/subscriptions'
import { demandChannel } from '../channels/demand-channel.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { currentMemberships } from './period-store.ts'

export const getSubscriptionStatus = endpoint(contract, async ({ params, caller, deps, refuse }) => {
  const { user_id, stream_id } = params
  const { database } = deps
  const realm = await deps.realms.get(caller.realm.id)
  const user = (await deps.users.byIds(realm.id, [user_id])).get(user_id)
  if (user === undefined) throw refuse('BAD_REQUEST', 'No such user')
  const actor = await findActor(deps, caller.user, realm)
  await database.guard(demandChannel(database.sql, realm, actor, stream_id, 'know'))
  const found = await database.guard(currentMemberships(database.sql, [stream_id], [user_id]))
  return { is_subscribed: found.length > 0 }
})
