import { addSubscriptions as contract } from '@parley/contracts/channels/subscriptions'
import { checkWishes, refuseContradiction } from '../channels/new-channels.ts'
import { demandSender } from '../messages/send-text.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { joinChannels } from './joining.ts'
import { tellOfJoining } from './joining-messages.ts'
import { findPrincipals } from './principals.ts'
import { wantedChannels } from './wanted-channels.ts'

export const addSubscriptions = endpoint(contract, async ({ params, caller, deps, transaction }) => {
  refuseContradiction(params)
  const realm = await deps.realms.get(caller.realm.id)
  const channels = await wantedChannels(deps, caller.realm, params.subscriptions)
  const people = await findPrincipals(deps.users, caller, params.principals)
  const actor = await findActor(deps, caller.user, realm)
  const wishes = await checkWishes(deps, realm.id, params)
  const isFatal = params.authorization_errors_fatal
  const by = await demandSender(deps, realm.id, caller.user.id)
  return transaction(async (tx) => {
    const joined = await joinChannels(tx, { caller, actor, realm, people, channels, wishes, isFatal })
    const { subscribed, already_subscribed, unauthorized } = joined
    const told = await tellOfJoining(tx, deps, { by, realm, people, joined, wishes: params })
    return { subscribed, already_subscribed, ...(isFatal ? {} : { unauthorized }), ...told }
  })
})
