import { type ApiError, refuse } from '@parley/contracts'

/** One wording for queues that are unknown, collected, or somebody else's; old clients look for how it begins. */
export const badQueueId = (queueId: string): ApiError =>
  refuse('BAD_EVENT_QUEUE_ID', `Bad event queue id: ${queueId}`, { queue_id: queueId })

/** Events behind this ID were acknowledged before, by another request perhaps. */
export const alreadyPruned = (lastEventId: number | undefined): ApiError =>
  refuse('BAD_REQUEST', `An event newer than ${lastEventId} has already been pruned!`)

export const notInQueue = (lastEventId: number | undefined): ApiError =>
  refuse('BAD_REQUEST', `Event ${lastEventId} was not in this queue`)
