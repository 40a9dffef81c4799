import { getSubscriptionStatus as contract } from '@parley/contracts/channels/subscriptions'
import { demandChannel } from '../channels/demand-channel.ts'
import { demandPerson } from '../directory/demand-person.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { currentMemberships } from './period-store.ts'

export const getSubscriptionStatus = endpoint(contract, async ({ params, caller, deps }) => {
  const { user_id, stream_id } = params
  const { database } = deps
  const realm = await deps.realms.get(caller.realm.id)
  await demandPerson(deps, realm, caller.user, user_id)
  const actor = await findActor(deps, caller.user, realm)
  await database.guard(demandChannel(database.sql, realm, actor, stream_id, 'know'))
  const found = await database.guard(currentMemberships(database.sql, [stream_id], [user_id]))
  return { is_subscribed: found.length > 0 }
})
