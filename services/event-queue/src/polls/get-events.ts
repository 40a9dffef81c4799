import { shardOf } from '@parley/bus'
import { getEvents as contract } from '@parley/contracts/event-queue/queues'
import { PreparedReply } from '@parley/kit'
import { openQueue, settleQueue } from '../queues/open-queue.ts'
import { formatQueueId, parseQueueId, type QueueId } from '../queues/queue-id.ts'
import { ownerToken } from '../queues/queue-records.ts'
import { badQueueId } from '../queues/refusals.ts'
import { endpoint } from '../room.ts'

/** A queue that begins with no state: everything from here on is news. */
const newQueue = async (...wanted: Parameters<typeof openQueue>): Promise<QueueId> => {
  const id = await openQueue(...wanted)
  await settleQueue(wanted[0], id, {})
  return id
}

export const getEvents = endpoint(contract, async ({ params, caller, deps, request }) => {
  const id =
    params.queue_id === undefined ? await newQueue(deps, caller, params) : parseQueueId(params.queue_id)
  if (id === undefined || id.shard !== shardOf(caller.user.id, deps.shards)) {
    throw badQueueId(params.queue_id ?? '')
  }
  const text = await deps.polls.wait(
    {
      id,
      queueId: formatQueueId(id),
      userId: caller.user.id,
      token: ownerToken({ secret: id.secret, user: caller.user.id, realm: caller.realm.id }),
      lastEventId: params.last_event_id,
      blocks: !params.dont_block,
    },
    request.gone,
  )
  return new PreparedReply(text)
})
