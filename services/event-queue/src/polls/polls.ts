import { appendToAnswer } from '../metrics.ts'
import type { Delivery } from '../shards/append-plan.ts'
import type { Append, ShardStore } from '../store/shard-store.ts'
import { type Ahead, toldAhead } from './ahead.ts'
import { PollAnswers, type PollLog } from './poll-answers.ts'
import { PollBatches } from './poll-batches.ts'
import { PollQuestions } from './poll-questions.ts'
import { ShardView } from './shard-view.ts'
import { StoredEvent } from './stored-event.ts'
import { WaitingPoll } from './waiting-poll.ts'
import { readWakeUp } from './wake-up.ts'

export interface PollsOptions {
  readonly store: ShardStore
  readonly shards: number
  /** Memory for recent events, over all shards. */
  readonly eventBytes: number
  /** Puts a record without effect into a shard's log and says where: whatever was issued before lies before it. */
  readonly tick: (shard: number) => Promise<number>
  readonly log: PollLog
}

/** Queues above which a batch is appended first: to answer more takes longer than the append, for which others wait. */
const mostForetold = 32

/**
 * The waiting polls of this process. A poll asks Redis once; when nothing is unread it is parked, and the news of its
 * shard, which carry the events themselves, answer it without asking again.
 */
export class Polls {
  readonly #views = new Map<number, ShardView>()
  readonly #viewOf: (shard: number) => ShardView
  readonly #answers: PollAnswers
  readonly #questions: PollQuestions

  constructor({ store, shards, eventBytes, tick, log }: PollsOptions) {
    const views = this.#views
    const viewOf = (shard: number): ShardView => {
      const known = views.get(shard)
      if (known !== undefined) return known
      const view = new ShardView(shard, eventBytes / shards, new PollBatches(store, shard))
      views.set(shard, view)
      return view
    }
    this.#viewOf = viewOf
    this.#answers = new PollAnswers(store, { viewOf, log })
    this.#questions = new PollQuestions(store, { viewOf, answers: this.#answers, tick, log })
  }

  /** Resolves with the whole body of the answer. */
  wait(
    request: Pick<WaitingPoll, 'id' | 'queueId' | 'userId' | 'token' | 'lastEventId' | 'blocks'>,
    gone: AbortSignal,
  ): Promise<string> {
    return new Promise((succeed, fail) => {
      const poll = new WaitingPoll({ ...request, succeed, fail })
      this.#answers.begin(poll)
      gone.addEventListener('abort', () => this.#answers.end(poll), { once: true })
      if (gone.aborted) this.#answers.end(poll)
      else this.#questions.ask(poll)
    })
  }

  /** What is on its way to a shard's log: who waits for it need not wait for the log. Answers how many were told. */
  tellAhead(shard: number, { position, queues, text }: Ahead): number {
    const view = this.#viewOf(shard)
    if (view.seenTo !== position || queues.length > mostForetold) return 0
    const waiting = this.#answers.count
    const event = new StoredEvent(position, text)
    for (const queue of queues) {
      for (const poll of view.pollsOf(queue)) {
        const told = toldAhead(poll, position, event)
        if (told !== undefined) this.#answers.answerEvent(poll, event, told)
      }
    }
    return waiting - this.#answers.count
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
    const waiting = this.#answers.count
    if (view.foretell(append)) this.#deliverAll(view, append.deliveries, Date.now())
    return this.#answers.count < waiting
  }

  /** News of a shard, as they were published. */
  receive(shard: number, message: string): void {
    const view = this.#viewOf(shard)
    const wakeUp = readWakeUp(message)
    if ('closed' in wakeUp) {
      view.news += 1
      for (const queue of wakeUp.closed) {
        for (const poll of view.pollsOf(queue)) this.#questions.askAgain(poll)
      }
      return
    }
    const news = view.take(wakeUp)
    // What is parked knows its queue up to a position; from there to the beginning of these news something may be missing,
    // and comes first.
    if (news === 'after a gap') {
      for (const poll of view.all()) if (poll.position < wakeUp.from) this.#questions.askAgain(poll)
    }
    if (news !== 'foretold') this.#deliverAll(view, wakeUp.groups, wakeUp.at)
    for (const poll of view.unsettled()) this.#questions.ask(poll)
  }

  /** News may have been missed in every shard: everything that waits asks again. */
  missedNews(): void {
    for (const view of this.#views.values()) for (const poll of view.all()) this.#questions.askAgain(poll)
  }

  /** A record at this offset exists in the shard's log. */
  noteIssued(shard: number, offset: number): void {
    this.#viewOf(shard).noteEnd(offset + 1)
  }

  /** Answers what waits, and from now on whatever comes, at once. */
  drain(): void {
    this.#answers.isDraining = true
    for (const view of this.#views.values()) {
      for (const poll of view.all()) if (poll.state !== 'asking') this.#answers.beat(poll)
    }
  }

  stop(): void {
    this.#answers.stop()
  }

  /** Polls of this process that have no answer, by what they wait for. */
  counts(): { parked: number; unsettled: number; asking: number } {
    const counts = { parked: 0, unsettled: 0, asking: 0 }
    for (const view of this.#views.values()) {
      for (const { state } of view.all()) if (state !== 'over') counts[state] += 1
    }
    return counts
  }

  #deliverAll(view: ShardView, deliveries: readonly Delivery[], at: number): void {
    for (const [offsets, queues] of deliveries) {
      for (const queue of queues) {
        if (view.isWaitedFor(queue)) this.#deliver(view.pollsOf(queue), offsets, at)
      }
    }
  }

  #deliver(polls: readonly WaitingPoll[], offsets: readonly number[], at: number): void {
    for (const poll of polls) {
      if (poll.state === 'asking') {
        poll.arrived ??= []
        poll.arrived.push(...offsets)
      } else if (poll.state === 'parked') {
        this.#questions.answerFromMemory(poll, offsets)
        if (poll.isOver) appendToAnswer.observe((Date.now() - at) / 1000)
      }
    }
  }
}
