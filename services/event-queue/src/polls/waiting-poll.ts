import { nothingAhead } from '../queues/event-ids.ts'
import type { QueueId } from '../queues/queue-id.ts'
import type { Reader } from './stored-event.ts'

/**
 * - `asking`: Redis has been, or is about to be, asked.
 * - `parked`: nothing was unread; the next record for the queue answers it.
 * - `unsettled`: the queue, what the client acknowledges, or what was foretold, is in the log but not in Redis yet; any
 *   news of the shard makes it ask again.
 * - `over`: answered, or its client is gone.
 */
export type PollState = 'asking' | 'parked' | 'unsettled' | 'over'

/** A request for events, as long as it has no answer. Kept small: a process holds thousands. */
export class WaitingPoll {
  readonly id: QueueId
  readonly queueId: string
  readonly userId: number
  readonly token: string
  /** What the client acknowledges. Redis is told with every question: it may have forgotten. */
  lastEventId: number | undefined
  readonly blocks: boolean
  readonly succeed: (text: string) => void
  readonly fail: (error: unknown) => void

  state: PollState = 'asking'
  reader: Reader | undefined
  /** Up to this record the queue is known to have nothing unread. */
  position = -1
  /** Redis has taken what the client acknowledged. */
  accepted = false
  /** What Redis holds as acknowledged. */
  acknowledged = -1
  /** Where the record stands of which its client was told ahead of the log. */
  ahead = nothingAhead
  /** Records that arrived for the queue while Redis was asked. */
  arrived: number[] | undefined
  /** The shard's count of news when Redis was asked. */
  askedAt = 0
  /** Up to where this process had been told of the shard's log when Redis was asked. */
  askedTo = -1
  /** The queue was closed, or a gap in the news was found, while Redis was asked. */
  askAgain = false
  /** Times that a record was listed whose text was gone. */
  misses = 0
  /** Another poll of the same queue. */
  sibling: WaitingPoll | undefined
  slot = -1

  constructor(request: {
    id: QueueId
    queueId: string
    userId: number
    token: string
    lastEventId: number | undefined
    blocks: boolean
    succeed: (text: string) => void
    fail: (error: unknown) => void
  }) {
    this.id = request.id
    this.queueId = request.queueId
    this.userId = request.userId
    this.token = request.token
    this.lastEventId = request.lastEventId
    this.blocks = request.blocks
    this.succeed = request.succeed
    this.fail = request.fail
  }

  get isOver(): boolean {
    return this.state === 'over'
  }
}
