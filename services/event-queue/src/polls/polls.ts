import { EngineUnavailableError } from '@parley/contracts'
import { LRUCache } from 'lru-cache'
import { appendToAnswer, closedQueues, commitToAnswer, waitingPolls } from '../metrics.ts'
import { aheadOf, heartbeatId, nothingRead, recordEndId, recordOf } from '../queues/event-ids.ts'
import { alreadyPruned, badQueueId, notInQueue } from '../queues/refusals.ts'
import type { Delivery } from '../shards/append-plan.ts'
import type { Append, PollOutcome, ShardStore } from '../store/shard-store.ts'
import { type Ahead, toldAhead, withoutKnown } from './ahead.ts'
import { eventsText, heartbeatText, pollAnswer } from './answer.ts'
import { traceDelivery } from './delivery-trace.ts'
import { HeartbeatWheel, heartbeatDelay } from './heartbeat-wheel.ts'
import { PollBatches } from './poll-batches.ts'
import { ShardView } from './shard-view.ts'
import { type Reader, StoredEvent } from './stored-event.ts'
import { readUnread } from './unread-records.ts'
import { variantOf } from './variant.ts'
import { WaitingPoll } from './waiting-poll.ts'
import { readWakeUp } from './wake-up.ts'

interface Log {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface PollsOptions {
  readonly store: ShardStore
  readonly shards: number
  /** Memory for recent events, over all shards. */
  readonly eventBytes: number
  /** Puts a record without effect into a shard's log and says where: whatever was issued before lies before it. */
  readonly tick: (shard: number) => Promise<number>
  readonly log: Log
}

/** Seconds that a request waits for the log to reach Redis when its client does not want to wait for events. */
const settleSeconds = 10
/** Queues above which a batch is appended first: to answer more takes longer than the append, for which others wait. */
const mostForetold = 32
/** Listings of a record whose text is gone, after which the queue is taken for damaged. */
const toleratedMisses = 3

/**
 * The waiting polls of this process. A poll asks Redis once; when nothing is unread it is parked, and the news of its
 * shard, which carry the events themselves, answer it without asking again.
 */
export class Polls {
  readonly #store: ShardStore
  readonly #tick: (shard: number) => Promise<number>
  readonly #log: Log
  readonly #views = new Map<number, ShardView>()
  readonly #eventBytesPerShard: number
  readonly #readers = new LRUCache<string, Reader>({ max: 50_000 })
  readonly #wheel: HeartbeatWheel<WaitingPoll>
  #count = 0
  #draining = false

  constructor({ store, shards, eventBytes, tick, log }: PollsOptions) {
    this.#store = store
    this.#tick = tick
    this.#log = log
    this.#eventBytesPerShard = eventBytes / shards
    this.#wheel = new HeartbeatWheel((poll) => this.#beat(poll))
  }

  /** Resolves with the whole body of the answer. */
  wait(
    request: Pick<WaitingPoll, 'id' | 'queueId' | 'userId' | 'token' | 'lastEventId' | 'blocks'>,
    gone: AbortSignal,
  ): Promise<string> {
    return new Promise((succeed, fail) => {
      const poll = new WaitingPoll({ ...request, succeed, fail })
      poll.reader = this.#readers.get(poll.queueId)
      this.#count += 1
      waitingPolls.set(this.#count)
      this.#view(poll).add(poll)
      this.#wheel.put(poll, poll.blocks ? heartbeatDelay() : settleSeconds)
      gone.addEventListener('abort', () => this.#end(poll), { once: true })
      if (gone.aborted) this.#end(poll)
      else this.#ask(poll)
    })
  }

  /**
   * What the owner of a shard, in this process, is about to append: polls that wait for it are answered before Redis
   * holds it. The log does, and what is made of it is the same whoever makes it, so to whoever is answered this is as
   * if Redis had lost its last moment. True when some were. What is for many is not told early.
   */
  foretell(shard: number, append: Append): boolean {
    let queues = 0
    for (const [, receiving] of append.deliveries) queues += receiving.length
    if (queues > mostForetold) return false
    const view = this.#viewOf(shard)
    const waiting = this.#count
    if (view.foretell(append)) this.#deliverAll(view, append.deliveries, Date.now())
    return this.#count < waiting
  }

  /** What is on its way to a shard's log: who waits for it need not wait for the log. Answers how many were told. */
  tellAhead(shard: number, { position, queues, text }: Ahead): number {
    const view = this.#viewOf(shard)
    if (view.seenTo !== position || queues.length > mostForetold) return 0
    const waiting = this.#count
    const event = new StoredEvent(position, text)
    for (const queue of queues) {
      for (const poll of view.pollsOf(queue)) {
        const told = toldAhead(poll, position, event)
        if (told !== undefined) this.#answerEvent(poll, event, told)
      }
    }
    return waiting - this.#count
  }

  /** News of a shard, as they were published. */
  receive(shard: number, message: string): void {
    const view = this.#viewOf(shard)
    const wakeUp = readWakeUp(message)
    if ('closed' in wakeUp) {
      view.news += 1
      for (const queue of wakeUp.closed) for (const poll of view.pollsOf(queue)) this.#askAgain(poll)
      return
    }
    const news = view.take(wakeUp)
    if (news !== 'foretold') this.#deliverAll(view, wakeUp.groups, wakeUp.at)
    // What is parked knows its queue up to a position; from there to the beginning of these news something may be missing.
    if (news === 'after a gap') {
      for (const poll of view.all()) if (poll.position < wakeUp.from) this.#askAgain(poll)
    }
    for (const poll of view.unsettled()) this.#ask(poll)
  }

  #deliverAll(view: ShardView, deliveries: readonly Delivery[], at: number): void {
    for (const [offsets, queues] of deliveries) {
      for (const queue of queues) {
        if (view.isWaitedFor(queue)) this.#deliver(view.pollsOf(queue), offsets, at)
      }
    }
  }

  /** News may have been missed in every shard: everything that waits asks again. */
  missedNews(): void {
    for (const view of this.#views.values()) for (const poll of view.all()) this.#askAgain(poll)
  }

  /** Answers what waits, and from now on whatever comes, at once. */
  drain(): void {
    this.#draining = true
    for (const view of this.#views.values()) {
      for (const poll of view.all()) if (poll.state !== 'asking') this.#beat(poll)
    }
  }

  stop(): void {
    this.#wheel.stop()
  }

  /** Polls of this process that have no answer, by what they wait for. */
  counts(): { parked: number; unsettled: number; asking: number } {
    const counts = { parked: 0, unsettled: 0, asking: 0 }
    for (const view of this.#views.values()) {
      for (const { state } of view.all()) if (state !== 'over') counts[state] += 1
    }
    return counts
  }

  /** A record at this offset exists in the shard's log. */
  noteIssued(shard: number, offset: number): void {
    const view = this.#viewOf(shard)
    view.knownEnd = Math.max(view.knownEnd, offset + 1)
  }

  /** Whether a record at this offset exists; the log is asked when nothing else tells. */
  async #isIssued(shard: number, offset: number): Promise<boolean> {
    const view = this.#viewOf(shard)
    if (offset < view.knownEnd) return true
    view.knownEnd = Math.max(view.knownEnd, await this.#tick(shard))
    return offset < view.knownEnd
  }

  #viewOf(shard: number): ShardView {
    const known = this.#views.get(shard)
    if (known !== undefined) return known
    const view = new ShardView(shard, this.#eventBytesPerShard, new PollBatches(this.#store, shard))
    this.#views.set(shard, view)
    return view
  }

  #view(poll: WaitingPoll): ShardView {
    return this.#viewOf(poll.id.shard)
  }

  #ask(poll: WaitingPoll): void {
    const view = this.#view(poll)
    view.setUnsettled(poll, false)
    poll.state = 'asking'
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
        this.#answered(poll, outcome, position).catch((error) => this.#refuse(poll, error))
      },
      fail: (error) => this.#refuse(poll, error),
    })
  }

  #askAgain(poll: WaitingPoll): void {
    if (poll.state === 'asking') poll.askAgain = true
    else if (poll.state !== 'over') this.#ask(poll)
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
        return this.#ask(poll)
      default:
        throw badQueueId(poll.queueId)
    }
  }

  /** Redis does not hold yet what the log holds: any news of the shard may change that. */
  #settleLater(poll: WaitingPoll): void {
    if (poll.state === 'over') return
    const view = this.#view(poll)
    if (poll.askAgain || poll.askedAt !== view.news) this.#ask(poll)
    else if (this.#draining) this.#beat(poll)
    else view.setUnsettled(poll, true)
  }

  async #read(
    poll: WaitingPoll,
    outcome: Extract<PollOutcome, { status: 'ok' }>,
    position: number,
  ): Promise<void> {
    const view = this.#view(poll)
    poll.reader ??= this.#readerOf(poll, outcome)
    poll.acknowledged = outcome.acknowledged
    poll.ahead = aheadOf(poll.acknowledged)
    poll.accepted = true
    if (outcome.offsets.length > 0) {
      const events = await readUnread(view, this.#store, outcome.offsets)
      if (events === undefined) return this.#textsGone(poll)
      if (poll.state === 'over' || this.#answerWith(poll, events)) return
      if (outcome.more || events.length < outcome.offsets.length) {
        // None of so many records is for this kind of client: it acknowledges them, and gets to those behind.
        const passed = recordEndId(poll.id.queue, events.at(-1)!.offset, poll.ahead)
        return this.#answer(poll, heartbeatText(passed))
      }
    }
    if (poll.askAgain || position < view.runFrom) return this.#ask(poll)
    if (position < poll.askedTo) return this.#settleLater(poll)
    poll.position = position
    poll.state = 'parked'
    const arrived = poll.arrived
    poll.arrived = undefined
    if (arrived !== undefined && this.#answerFromMemory(view, poll, arrived)) return
    if (!poll.blocks) return this.#answer(poll, '')
    if (this.#draining) this.#beat(poll)
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
    if (poll.misses < toleratedMisses) return this.#ask(poll)
    this.#log.error({ shard: poll.id.shard, queue: poll.id.queue }, 'a queue lists records that are gone')
    await this.#close(poll, 'damaged')
  }

  async #close(poll: WaitingPoll, reason: string): Promise<void> {
    const closed = await this.#store.close(poll.id.shard, [[poll.id.queue, poll.token]])
    closedQueues.inc({ reason }, closed.length)
    this.#refuse(poll, badQueueId(poll.queueId))
  }

  /** Answers with records that just arrived. When one is forgotten already, Redis is asked. False: nothing to say. */
  #answerFromMemory(view: ShardView, poll: WaitingPoll, offsets: readonly number[]): boolean {
    const events: StoredEvent[] = []
    for (const offset of offsets) {
      if (offset < poll.position) continue
      const event = view.event(offset)
      if (event === undefined) {
        this.#ask(poll)
        return true
      }
      events.push(event)
    }
    return events.length > 0 && this.#answerWith(poll, events)
  }

  #deliver(polls: readonly WaitingPoll[], offsets: readonly number[], at: number): void {
    for (const poll of polls) {
      if (poll.state === 'asking') {
        poll.arrived ??= []
        poll.arrived.push(...offsets)
      } else if (poll.state === 'parked') {
        this.#answerFromMemory(this.#view(poll), poll, offsets)
        if (poll.isOver) appendToAnswer.observe((Date.now() - at) / 1000)
      }
    }
  }

  /** Answers a poll with those of the records that its client is to see; false when that is none of them. */
  #answerWith(poll: WaitingPoll, unread: readonly StoredEvent[]): boolean {
    const events = withoutKnown(poll, unread)
    if (events.length === 0) return false
    let text: string
    try {
      text = eventsText(poll.id.queue, poll.reader!, poll, events)
    } catch (error) {
      this.#log.error(
        { err: error, shard: poll.id.shard, queue: poll.id.queue },
        'an event cannot be written',
      )
      this.#close(poll, 'damaged').catch((failure) => this.#refuse(poll, failure))
      return true
    }
    if (text === '') return false
    this.#answerEvent(poll, events[0]!, text)
    return true
  }

  /** `first` of what the text says. */
  #answerEvent(poll: WaitingPoll, first: StoredEvent, text: string): void {
    this.#answer(poll, text)
    commitToAnswer.observe(Math.max(0, Date.now() - first.head.at) / 1000)
    if (first.head.traceparent !== undefined) traceDelivery(first, poll.queueId)
  }

  /** It is time for a sign of life. */
  #beat(poll: WaitingPoll): void {
    if (poll.state === 'over') return
    if (!poll.blocks && poll.state !== 'parked') {
      this.#refuse(poll, new EngineUnavailableError('event log'))
      return
    }
    const last = Math.max(poll.acknowledged, poll.lastEventId ?? nothingRead)
    // While it is not known what the queue holds, nothing beyond what the client has may be acknowledged.
    const id =
      poll.state === 'parked'
        ? heartbeatId(poll.id.queue, Math.max(poll.position, this.#view(poll).seenTo), last, poll.ahead)
        : last
    this.#answer(poll, heartbeatText(id))
  }

  #answer(poll: WaitingPoll, events: string): void {
    this.#end(poll)
    poll.succeed(pollAnswer(poll.queueId, events))
  }

  #refuse(poll: WaitingPoll, error: unknown): void {
    if (poll.state === 'over') return
    this.#end(poll)
    poll.fail(error)
  }

  #end(poll: WaitingPoll): void {
    if (poll.state === 'over') return
    const view = this.#view(poll)
    view.setUnsettled(poll, false)
    view.remove(poll)
    this.#wheel.takeOff(poll)
    poll.state = 'over'
    this.#count -= 1
    waitingPolls.set(this.#count)
  }
}
