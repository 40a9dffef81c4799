import { limits, publicPath } from '@parley/contracts'
import { registerQueue as contract } from '@parley/contracts/event-queue/queues'
import { getEmojiNames } from '@parley/contracts/gateway/docs'
import { nothingRead } from '../queues/event-ids.ts'
import { openQueue, shapeOf } from '../queues/open-queue.ts'
import { formatQueueId } from '../queues/queue-id.ts'
import { endpoint } from '../room.ts'
import { gatherState } from './gather-state.ts'
import { planSections } from './section-plan.ts'

export const registerQueue = endpoint(contract, async ({ params, caller, deps }) => {
  const requests = planSections(params.fetch_event_types ?? params.event_types ?? null)
  const id = await openQueue(deps, caller, params, requests.length === 0)
  const { apply_markdown, client_gravatar, slim_presence } = shapeOf(params)
  const { include_subscribers, presence_history_limit_days, client_capabilities } = params
  const options = {
    ...{ apply_markdown, client_gravatar, slim_presence },
    ...{ include_subscribers, presence_history_limit_days, client_capabilities },
  }
  // The queue is open before state is read: what commits from here on is in the queue, in the state, or in both,
  // and what is in both is taken out of the queue by the snapshots.
  const { fields, known } = await gatherState(deps.ask, caller, requests, options)
  if (requests.length > 0) {
    const offset = await deps.shardLog.settle(id.shard, { queue: id.queue, known })
    deps.polls.noteIssued(id.shard, offset)
  }
  return {
    queue_id: formatQueueId(id),
    last_event_id: nothingRead,
    zulip_version: limits.serverVersion,
    zulip_feature_level: limits.featureLevel,
    service_feature_level: limits.featureLevel,
    zulip_merge_base: limits.mergeBase,
    idle_queue_timeout_secs: params.idle_queue_timeout,
    event_queue_longpoll_timeout_seconds: limits.longPollTimeoutSeconds,
    server_emoji_data_url: `${caller.realm.url}${publicPath(getEmojiNames)}`,
    ...fields,
  }
})
