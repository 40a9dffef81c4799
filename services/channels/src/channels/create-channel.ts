import { createChannel as contract } from '@parley/contracts/channels/channels'
import { demandSender } from '../messages/send-text.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { joinChannels } from '../subscriptions/joining.ts'
import { tellOfJoining } from '../subscriptions/joining-messages.ts'
import { findUsersById } from '../subscriptions/principals.ts'
import { demandChannelName, describedAs } from '../subscriptions/wanted-channels.ts'
import { channelsByNames } from './channel-store.ts'
import { checkWishes, refuseContradiction } from './new-channels.ts'

export const createChannel = endpoint(contract, async ({ params, caller, deps, transaction, refuse }) => {
  refuseContradiction(params)
  const realm = await deps.realms.get(caller.realm.id)
  const name = demandChannelName(params.name)
  const channel = { name, color: undefined, ...(await describedAs(deps, caller.realm, params.description)) }
  const people = await findUsersById(deps.users, realm.id, params.subscribers)
  const actor = await findActor(deps, caller.user, realm)
  const wishes = await checkWishes(deps, realm.id, params)
  const taken = () => refuse('BAD_REQUEST', `Channel '${name}' already exists`)
  const by = await demandSender(deps, realm.id, caller.user.id)
  return transaction(async (tx) => {
    if ((await channelsByNames(tx.sql, realm.id, [name])).length > 0) throw taken()
    const joined = await joinChannels(tx, {
      caller,
      actor,
      realm,
      people,
      channels: [channel],
      wishes,
      isFatal: true,
    })
    const [id] = joined.madeIds
    // Somebody else has just made it.
    if (id === undefined) throw taken()
    await tellOfJoining(tx, deps, { by, realm, people, joined, wishes: params })
    return { id }
  })
})
