import { updateSubscriptions as contract } from '@parley/contracts/channels/subscriptions'
import { lockChannelsByNames } from '../channels/channel-store.ts'
import { checkWishes } from '../channels/new-channels.ts'
import { demandSender } from '../messages/send-text.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { joinChannels } from './joining.ts'
import { tellOfJoining } from './joining-messages.ts'
import { leaveChannels } from './leaving.ts'
import { findPrincipals } from './principals.ts'
import { wantedChannels } from './wanted-channels.ts'

export const updateSubscriptions = endpoint(
  contract,
  async ({ params, caller, deps, transaction, refuse }) => {
    const { add = [], delete: names = [] } = params
    if (add.length + names.length === 0) {
      throw refuse('BAD_REQUEST', 'Nothing to do. Specify at least one of "add" or "delete".')
    }
    const realm = await deps.realms.get(caller.realm.id)
    const channels = await wantedChannels(deps, caller.realm, add)
    const people = await findPrincipals(deps.users, caller, undefined)
    const actor = await findActor(deps, caller.user, realm)
    const wishes = await checkWishes(deps, realm.id, { invite_only: false })
    const by = await demandSender(deps, realm.id, caller.user.id)
    return transaction(async (tx) => {
      // All rows before the realm's order, which joining ends with.
      await lockChannelsByNames(tx.sql, realm.id, [...channels.map(({ name }) => name), ...names])
      const joined = await joinChannels(tx, { caller, actor, realm, people, channels, wishes, isFatal: true })
      const left = await leaveChannels(tx, { actor, realm, people, names })
      const told = await tellOfJoining(tx, deps, {
        ...{ by, realm, people, joined },
        wishes: { announce: false, send_new_subscription_messages: true },
      })
      const { subscribed, already_subscribed } = joined
      return { subscribed, already_subscribed, ...left, ...told }
    })
  },
)
