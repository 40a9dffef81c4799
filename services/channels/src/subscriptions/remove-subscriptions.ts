import { removeSubscriptions as contract } from '@parley/contracts/channels/subscriptions'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { leaveChannels } from './leaving.ts'
import { findPrincipals } from './principals.ts'

export const removeSubscriptions = endpoint(contract, async ({ params, caller, deps, transaction }) => {
  const realm = await deps.realms.get(caller.realm.id)
  const people = await findPrincipals(deps.users, caller, params.principals)
  const actor = await findActor(deps, caller.user, realm)
  return transaction((tx) => leaveChannels(tx, { actor, realm, people, names: params.subscriptions }))
})
