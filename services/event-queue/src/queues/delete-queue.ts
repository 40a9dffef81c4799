import { shardOf } from '@parley/bus'
import { deleteQueue as contract } from '@parley/contracts/event-queue/queues'
import { closedQueues } from '../metrics.ts'
import { endpoint } from '../room.ts'
import { parseQueueId } from './queue-id.ts'
import { ownerToken } from './queue-records.ts'
import { badQueueId } from './refusals.ts'

export const deleteQueue = endpoint(contract, async ({ params, caller, deps, request }) => {
  const id = parseQueueId(params.queue_id)
  if (id === undefined || id.shard !== shardOf(caller.user.id, deps.shards)) throw badQueueId(params.queue_id)
  const { shard, queue, secret } = id
  const token = ownerToken({ secret, user: caller.user.id, realm: caller.realm.id })
  let closed = await deps.store.close(shard, [[queue, token]])
  if (closed.length === 0) {
    // A queue may be in the log and not in Redis yet: a poll waits until it is, and refuses what never will be.
    const poll = { id, queueId: params.queue_id, userId: caller.user.id, token, lastEventId: undefined }
    await deps.polls.wait({ ...poll, blocks: false }, request.gone)
    closed = await deps.store.close(shard, [[queue, token]])
  }
  if (closed.length === 0) throw badQueueId(params.queue_id)
  closedQueues.inc({ reason: 'deleted' })
  return {}
})
