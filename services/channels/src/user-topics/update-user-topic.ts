import { updateUserTopic as contract } from '@parley/contracts/channels/user-topics'
import { demandChannel } from '../channels/demand-channel.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { changeUserTopic } from './user-topic-changes.ts'
import { demandTopic } from './user-topic-rules.ts'

export const updateUserTopic = endpoint(contract, async ({ params, caller, deps, transaction }) => {
  const { stream_id, visibility_policy } = params
  const topic_name = demandTopic(params.topic)
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  return transaction(async (tx) => {
    await demandChannel(tx.sql, realm, actor, stream_id, 'read')
    await lockRealmOrder(tx.sql, realm.id)
    const user = { realmId: realm.id, id: caller.user.id }
    await changeUserTopic(tx, user, { stream_id, topic_name, visibility_policy })
    return {}
  })
})
