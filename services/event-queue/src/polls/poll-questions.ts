import { LRUCache } from 'lru-cache'
import { aheadOf, recordEndId, recordOf } from '../queues/event-ids.ts'
import { alreadyPruned, badQueueId, notInQueue } from '../queues/refusals.ts'
import type { PollOutcome, ShardStore } from '../store/shard-store.ts'
import { heartbeatText } from './answer.ts'
import type { PollAnswers, PollLog } from './poll-answers.ts'
import type { ShardView } from './shard-view.ts'
import type { Reader, StoredEvent } from './stored-event.ts'
import { readUnread } from './unread-records.ts'
import { variantOf } from './variant.ts'
import type { WaitingPoll } from './waiting-poll.ts'

interface PollQuestionsOptions {
  readonly viewOf: (shard: number) => ShardView
  readonly answers: PollAnswers
  /** Puts a record without effect into a shard's log and says where: whatever was issued before lies before it. */
  readonly tick: (shard: number) => Promise<number>
  readonly log: PollLog
}

/** Listings of a record whose text is gone, after which the queue is taken for damaged. */
const toleratedMisses = 3

/** What a poll asks Redis, and what becomes of the poll by what Redis says. */
export class PollQuestions {
  readonly #store: ShardStore
  readonly #viewOf: (shard: number) => ShardView
  readonly #answers: PollAnswers
  readonly #tick: (shard: number) => Promise<number>
  readonly #log: PollLog
  readonly #readers = new LRUCache<string, Reader>({ max: 50_000 })

  constructor(store: ShardStore, { viewOf, answers, tick, log }: PollQuestionsOptions) {
    this.#store = store
    this.#viewOf = viewOf
    this.#answers = answers
    this.#tick = tick
    this.#log = log
  }

  ask(poll: WaitingPoll): void {
    const view = this.#viewOf(poll.id.shard)
    view.setUnsettled(poll, false)
    poll.state = 'asking'
    poll.reader ??= this.#readers.get(poll.queueId)
    view.batches.ask({
      request: () => {
        poll.askedAt = view.news
        poll.askedTo = view.seenTo
        poll.askAgain = false
        poll.arrived = undefined
        return {
          queue: poll.id.queue,
          token: poll.token,
          lastEventId: poll.lastEventId,
          wantsEntry: poll.reader === undefined,
        }
      },
      answer: (outcome, position) => {
        if (poll.state === 'over') return
        this.#answered(poll, outcome, position).catch((error) => this.#answers.refuse(poll, error))
      },
      fail: (error) => this.#answers.refuse(poll, error),
    })
  }

  /** Asks, or once more when a question is under way. */
  askAgain(poll: WaitingPoll): void {
    if (poll.state === 'asking') poll.askAgain = true
    else if (poll.state !== 'over') this.ask(poll)
  }

  /** Answers with records that just arrived. When one is forgotten already, Redis is asked. False: nothing to say. */
  answerFromMemory(poll: WaitingPoll, offsets: readonly number[]): boolean {
    const view = this.#viewOf(poll.id.shard)
    const events: StoredEvent[] = []
    for (const offset of offsets) {
      if (offset < poll.position) continue
      const event = view.event(offset)
      if (event === undefined) {
        this.ask(poll)
        return true
      }
      events.push(event)
    }
    return events.length > 0 && this.#answers.answerUnread(poll, events)
  }

  async #answered(poll: WaitingPoll, outcome: PollOutcome, position: number): Promise<void> {
    switch (outcome.status) {
      case 'ok':
        return this.#read(poll, outcome, position)
      case 'early':
        if (!(await this.#isIssued(poll.id.shard, poll.id.queue))) throw badQueueId(poll.queueId)
        return this.#settleLater(poll)
      case 'ahead':
        if (!(await this.#isIssued(poll.id.shard, recordOf(poll.id.queue, poll.lastEventId!)))) {
          throw notInQueue(poll.lastEventId)
        }
        poll.acknowledged = Math.max(outcome.acknowledged, poll.lastEventId!)
        return this.#settleLater(poll)
      case 'never':
        throw notInQueue(poll.lastEventId)
      case 'pruned':
        if (!poll.accepted) throw alreadyPruned(poll.lastEventId)
        // It was in time when it came; meanwhile another poll of the queue got further.
        poll.lastEventId = outcome.acknowledged
        return this.ask(poll)
      default:
        throw badQueueId(poll.queueId)
    }
  }

  /** Whether a record at this offset exists; the log is asked when nothing else tells. */
  async #isIssued(shard: number, offset: number): Promise<boolean> {
    const view = this.#viewOf(shard)
    if (offset < view.knownEnd) return true
    view.noteEnd(await this.#tick(shard))
    return offset < view.knownEnd
  }

  /** Redis does not hold yet what the log holds: any news of the shard may change that. */
  #settleLater(poll: WaitingPoll): void {
    if (poll.state === 'over') return
    const view = this.#viewOf(poll.id.shard)
    if (poll.askAgain || poll.askedAt !== view.news) this.ask(poll)
    else if (this.#answers.isDraining) this.#answers.beat(poll)
    else view.setUnsettled(poll, true)
  }

  async #read(
    poll: WaitingPoll,
    outcome: Extract<PollOutcome, { status: 'ok' }>,
    position: number,
  ): Promise<void> {
    const view = this.#viewOf(poll.id.shard)
    poll.reader ??= this.#readerOf(poll, outcome)
    poll.acknowledged = outcome.acknowledged
    poll.ahead = aheadOf(poll.acknowledged)
    poll.accepted = true
    if (outcome.offsets.length > 0) {
      const events = await readUnread(view, this.#store, outcome.offsets)
      if (events === undefined) return this.#textsGone(poll)
      if (poll.isOver || this.#answers.answerUnread(poll, events)) return
      if (outcome.more || events.length < outcome.offsets.length) {
        // None of so many records is for this kind of client: it acknowledges them, and gets to those behind.
        const passed = recordEndId(poll.id.queue, events.at(-1)!.offset, poll.ahead)
        return this.#answers.answer(poll, heartbeatText(passed))
      }
    }
    if (poll.askAgain || position < view.runFrom) return this.ask(poll)
    if (position < poll.askedTo) return this.#settleLater(poll)
    poll.position = position
    poll.state = 'parked'
    const { arrived } = poll
    poll.arrived = undefined
    if (arrived !== undefined && this.answerFromMemory(poll, arrived)) return
    if (!poll.blocks) return this.#answers.answer(poll, '')
    if (this.#answers.isDraining) this.#answers.beat(poll)
  }

  #readerOf(poll: WaitingPoll, outcome: Extract<PollOutcome, { status: 'ok' }>): Reader {
    if (outcome.entry === undefined) throw badQueueId(poll.queueId)
    const reader = {
      userId: poll.userId,
      queueId: poll.queueId,
      variant: variantOf(outcome.entry.opened.shape),
    }
    this.#readers.set(poll.queueId, reader)
    return reader
  }

  /** Another poll of the queue has acknowledged meanwhile; if not, the queue is damaged, and its client must know. */
  async #textsGone(poll: WaitingPoll): Promise<void> {
    poll.misses += 1
    if (poll.misses < toleratedMisses) return this.ask(poll)
    this.#log.error({ shard: poll.id.shard, queue: poll.id.queue }, 'a queue lists records that are gone')
    await this.#answers.closeDamaged(poll)
  }
}
