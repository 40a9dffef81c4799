import type { ParamsOf } from '@parley/contracts'
import { updateMutedTopic as contract } from '@parley/contracts/channels/user-topics'
import { channelsByNames } from '../channels/channel-store.ts'
import { demandChannel } from '../channels/demand-channel.ts'
import { findActor } from '../permissions/find-actor.ts'
import { endpoint, type Queries } from '../room.ts'
import { lockRealmOrder } from '../subscriptions/period-store.ts'
import { changeUserTopic } from './user-topic-changes.ts'
import { demandTopic } from './user-topic-rules.ts'
import { userTopicPolicy } from './user-topic-store.ts'

export const updateMutedTopic = endpoint(contract, async ({ params, caller, deps, transaction, refuse }) => {
  if (params.stream_id !== undefined && params.stream !== undefined) {
    throw refuse('INCOMPATIBLE_PARAMETERS', 'Unsupported parameter combination: stream_id, stream', {
      parameters: 'stream_id, stream',
    })
  }
  if (params.stream_id === undefined && params.stream === undefined) {
    throw refuse('BAD_REQUEST', "Missing 'stream_id' argument")
  }
  const topic_name = demandTopic(params.topic)
  const realm = await deps.realms.get(caller.realm.id)
  const actor = await findActor(deps, caller.user, realm)
  return transaction(async (tx) => {
    const id = await channelId(tx.sql, realm.id, params)
    const { channel } = await demandChannel(tx.sql, realm, actor, id, 'read')
    const stream_id = channel.id
    const isMuting = params.op === 'add'
    await lockRealmOrder(tx.sql, realm.id)
    // To unmute what is not muted changes nothing, whatever else is wanted of the topic.
    if (!isMuting && (await userTopicPolicy(tx.sql, actor.id, stream_id, topic_name)) !== 1) return {}
    const user = { realmId: realm.id, id: actor.id }
    await changeUserTopic(tx, user, { stream_id, topic_name, visibility_policy: isMuting ? 1 : 0 })
    return {}
  })
})

/** 0, which no channel has, for a name that no channel has. */
const channelId = async (
  sql: Queries,
  realmId: number,
  { stream_id, stream }: ParamsOf<typeof contract>,
): Promise<number> => {
  if (stream_id !== undefined) return stream_id
  const [channel] = await channelsByNames(sql, realmId, [stream!.trim().normalize()])
  return channel?.id ?? 0
}
