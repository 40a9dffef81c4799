import { type ApiError, refuse } from '@parley/contracts'

/** One wording for queues that are unknown, collected, or somebody else's; old clients look for how it begins. */
export const badQueueId = (queueId: string): ApiError =>
  refuse('BAD_EVENT_QUEUE_ID', `Bad event queue id: ${queueId}`, { queue_id: queueId })
