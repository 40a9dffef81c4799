import { EngineUnavailableError } from '@parley/contracts'
import { closedQueues, commitToAnswer, waitingPolls } from '../metrics.ts'
import { heartbeatId, nothingRead } from '../queues/event-ids.ts'
import { badQueueId } from '../queues/refusals.ts'
import type { ShardStore } from '../store/shard-store.ts'
import { withoutKnown } from './ahead.ts'
import { eventsText, heartbeatText, pollAnswer } from './answer.ts'
import { traceDelivery } from './delivery-trace.ts'
import { HeartbeatWheel, heartbeatDelay } from './heartbeat-wheel.ts'
import type { ShardView } from './shard-view.ts'
import type { StoredEvent } from './stored-event.ts'
import type { WaitingPoll } from './waiting-poll.ts'

export interface PollLog {
  error(details: object, message: string): void
}

/** Seconds that a request waits for the log to reach Redis when its client does not want to wait for events. */
const settleSeconds = 10

/** How polls begin and end: with events, with a sign of life, with a refusal, or because their client is gone. */
export class PollAnswers {
  readonly #store: Pick<ShardStore, 'close'>
  readonly #viewOf: (shard: number) => ShardView
  readonly #log: PollLog
  readonly #wheel = new HeartbeatWheel<WaitingPoll>((poll) => this.beat(poll))
  #count = 0
  /** This process ends: nothing may wait. */
  isDraining = false

  constructor(
    store: Pick<ShardStore, 'close'>,
    { viewOf, log }: { viewOf: (shard: number) => ShardView; log: PollLog },
  ) {
    this.#store = store
    this.#viewOf = viewOf
    this.#log = log
  }

  /** Polls that have no answer. */
  get count(): number {
    return this.#count
  }

  begin(poll: WaitingPoll): void {
    this.#count += 1
    waitingPolls.set(this.#count)
    this.#viewOf(poll.id.shard).add(poll)
    this.#wheel.put(poll, poll.blocks ? heartbeatDelay() : settleSeconds)
  }

  end(poll: WaitingPoll): void {
    if (poll.state === 'over') return
    const view = this.#viewOf(poll.id.shard)
    view.setUnsettled(poll, false)
    view.remove(poll)
    this.#wheel.takeOff(poll)
    poll.state = 'over'
    this.#count -= 1
    waitingPolls.set(this.#count)
  }

  stop(): void {
    this.#wheel.stop()
  }

  answer(poll: WaitingPoll, events: string): void {
    this.end(poll)
    poll.succeed(pollAnswer(poll.queueId, events))
  }

  refuse(poll: WaitingPoll, error: unknown): void {
    if (poll.state === 'over') return
    this.end(poll)
    poll.fail(error)
  }

  /** Answers with those of the records that the poll's client is to see; false when that is none of them. */
  answerUnread(poll: WaitingPoll, unread: readonly StoredEvent[]): boolean {
    const events = withoutKnown(poll, unread)
    if (events.length === 0) return false
    let text: string
    try {
      text = eventsText(poll.id.queue, poll.reader!, poll, events)
    } catch (error) {
      const { shard, queue } = poll.id
      this.#log.error({ err: error, shard, queue }, 'an event cannot be written')
      this.closeDamaged(poll).catch((failure) => this.refuse(poll, failure))
      return true
    }
    if (text === '') return false
    this.answerEvent(poll, events[0]!, text)
    return true
  }

  /** `first` of what the text says. */
  answerEvent(poll: WaitingPoll, first: StoredEvent, text: string): void {
    this.answer(poll, text)
    commitToAnswer.observe(Math.max(0, Date.now() - first.head.at) / 1000)
    if (first.head.traceparent !== undefined) traceDelivery(first, poll.queueId)
  }

  /** It is time for a sign of life. */
  beat(poll: WaitingPoll): void {
    if (poll.state === 'over') return
    if (!poll.blocks && poll.state !== 'parked') {
      this.refuse(poll, new EngineUnavailableError('event log'))
      return
    }
    const last = Math.max(poll.acknowledged, poll.lastEventId ?? nothingRead)
    // While it is not known what the queue holds, nothing beyond what the client has may be acknowledged.
    const id =
      poll.state === 'parked'
        ? heartbeatId(
            poll.id.queue,
            Math.max(poll.position, this.#viewOf(poll.id.shard).seenTo),
            last,
            poll.ahead,
          )
        : last
    this.answer(poll, heartbeatText(id))
  }

  /** A queue that cannot be read any more is closed, so that its client registers another. */
  async closeDamaged(poll: WaitingPoll): Promise<void> {
    const closed = await this.#store.close(poll.id.shard, [[poll.id.queue, poll.token]])
    closedQueues.inc({ reason: 'damaged' }, closed.length)
    this.refuse(poll, badQueueId(poll.queueId))
  }
}
