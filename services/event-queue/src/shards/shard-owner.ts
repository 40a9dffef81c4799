import type { AdvanceNotice, Pace, ReceivedRecord } from '@parley/bus'
import { EngineUnavailableError } from '@parley/contracts'
import { portions } from '@parley/kit/portions'
import {
  advanceNotices,
  appendDuration,
  closedQueues,
  queueCount,
  replays,
  shardBacklog,
  shardDelay,
  skippedRecords,
} from '../metrics.ts'
import type { Ahead } from '../polls/ahead.ts'
import { aheadSource } from '../queues/event-ids.ts'
import type { QueueOpened } from '../queues/queue-records.ts'
import type { Append, AppendOutcome, ShardStore } from '../store/shard-store.ts'
import { planBatch } from './batch-plan.ts'
import { IncomingEvent } from './incoming-event.ts'
import { LogInbox } from './log-inbox.ts'
import { closeForgotten, closeRefused, trim } from './queue-endings.ts'
import { type IndexedQueue, idleSeconds, type QueueIndex } from './queue-index.ts'
import { recordSpans } from './record-spans.ts'
import { isNews, type Release } from './release.ts'
import { emptyMemory, loadMemory, type ShardMemory } from './shard-memory.ts'

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface OwnerOptions {
  readonly shard: number
  readonly store: ShardStore
  readonly log: Log
  readonly maxPending: number
  /** Queues that one user may have. */
  readonly maxQueues: number
  /** Reads the log again from an offset. */
  readonly seek: (offset: number) => void
  /** Offset of the oldest record that the log still has. */
  readonly logStart: () => Promise<number>
  /** Puts a record without effect into the shard's log. */
  readonly tick: () => Promise<number>
  /** What this process is a process of. */
  readonly release: Release
  /** Puts that into the shard's log. */
  readonly announceRelease: () => Promise<unknown>
  /** Keeps a record that cannot be understood for people to look at. */
  readonly setAside: (record: ReceivedRecord, error: unknown) => Promise<void>
  /** Says again which users have queues for all public channels; channels forgets it after 48 hours. */
  readonly listen: (listeners: readonly { realm_id: number; user_id: number }[]) => Promise<unknown>
  /** Whether a queue may not be (any more). */
  readonly refuses: (opened: QueueOpened) => boolean
  /** Tells the polls of this process what is about to be appended; true when that answers some of them. */
  readonly foretell: (append: Append) => boolean
  /** Tells the polls of this process what is on its way to the log; answers how many heard it. */
  readonly tellAhead: (ahead: Ahead) => number
  /** Of all shards of this process. */
  readonly pace: Pick<Pace, 'count' | 'gathering'>
}

/** Queues that one sweep looks at; of a shard just loaded, that is all of them in turn. */
const queuesPerSweep = 2000
/** Received records above which the consumer is made to wait. */
const backlogLimit = 4096
/** Seconds of silence after which the log is moved, so that heartbeats do not run out of IDs. */
const longestSilence = 600
const retryPause = 200
const listenersPerQuestion = 1000
/** Milliseconds after which channels is told again who listens to all public channels. */
const listenAgainAfter = 6 * 3_600_000

/** Until all that is ready to be sent has been. */
const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** The one process that applies a shard's log to its queues. What it keeps in memory is a copy that Redis checks. */
export class ShardOwner {
  readonly #options: OwnerOptions
  readonly #label: { shard: string }
  readonly #inbox = new LogInbox()
  #owned = true
  /** Undefined before it was loaded. */
  #memory: ShardMemory | undefined
  #working: Promise<void> | undefined
  /** Something was planned that Redis does not hold, for all that is known: the memory is to be loaded anew. */
  #isAhead = false
  /** Polls were just told, and their answers are on the way out. */
  #isAnswering = false
  #lastRecordAt = Date.now()
  /** When the last append ended: milliseconds of the process' clock. */
  #appendedAt = 0
  /** When channels was last told who listens to all public channels; 0 after the shard was loaded. */
  #listenedAt = 0
  /** Whether the log has this process' release, since the shard became ours. */
  #hasReleased = false
  /** Redis' clock minus ours, in seconds. */
  #skew = 0

  constructor(options: OwnerOptions) {
    this.#options = options
    this.#label = { shard: String(options.shard) }
  }

  /** Whether something received is not applied yet, or Redis is being brought up to the log. */
  get isBusy(): boolean {
    return this.#working !== undefined || this.#inbox.size > 0
  }

  /** The shard is ours (again): answers where it stands; undefined when Redis holds nothing of it. */
  async load(): Promise<number | undefined> {
    const { shard, store } = this.#options
    this.#owned = true
    this.#hasReleased = false
    await this.#working
    // While another process owned the shard its position moved, if anything happened.
    const position = await store.position(shard)
    const isCurrent = !this.#isAhead && this.#memory !== undefined && position === this.#memory.position
    if (!isCurrent) await this.#reload()
    // Of accounts that ended meanwhile, who had the shard has perhaps not heard.
    else await this.#closeRefused(this.#memory!.index.all())
    this.#inbox.restart(this.#memory?.position)
    return this.#memory?.position
  }

  /** The shard is somebody else's; what is in memory may be of use when it comes back. */
  release(): void {
    this.#owned = false
    this.#inbox.restart(undefined)
    queueCount.remove(this.#label)
  }

  /**
   * Takes the next records of the log. Resolves at once, unless too many are waiting to be applied, or polls have got
   * answers: those leave before more is read, of this shard or another.
   */
  async receive(records: readonly ReceivedRecord[]): Promise<void> {
    if (!this.#owned) return
    this.#lastRecordAt = Date.now()
    if (!this.#inbox.take(records)) await this.#closeGap(records[0]!.offset)
    shardBacklog.set(this.#label, this.#inbox.size)
    if (this.#inbox.size > 0) this.#working ??= this.#work()
    if (this.#inbox.size > backlogLimit) await this.#working
    else if (this.#isAnswering) await endOfTurn()
  }

  /**
   * Word of a record on its way to the log. Polls of this process are told at once, if nothing of the same source can come
   * before it that is not applied yet: then it is the next of that source, wherever in the log it will stand.
   */
  takeNotice({ source, after, traceparent, value }: AdvanceNotice): void {
    const { position, sequences, index } = this.#memory ?? {}
    const isNext = source === aheadSource && sequences?.[source] === after
    if (!this.#owned || this.isBusy || !isNext || position === undefined || index === undefined) {
      advanceNotices.inc({ outcome: 'passed over' })
      return
    }
    const event = new IncomingEvent(position, value, traceparent)
    const queues = index.recipients(event).map(({ number }) => number)
    const told = queues.length === 0 ? 0 : this.#options.tellAhead({ position, queues, text: event.stored() })
    advanceNotices.inc({ outcome: told > 0 ? 'told' : 'nobody waits' })
  }

  hasQueuesOf(realm: number): boolean {
    for (const _ of this.#memory?.index.ofRealm(realm) ?? []) return true
    return false
  }

  /** Resolves once all that stands in the log now is applied; or when the shard is not ours any more. */
  async caughtUp(): Promise<void> {
    const offset = await this.#options.tick()
    while (this.#owned && (this.#memory?.position ?? 0) <= offset) await pause(10)
  }

  /** Closes those queues of a user, or of a realm, that may not be any more. */
  async closeRefused(whose: { user: number } | { realm: number }): Promise<void> {
    const index = this.#memory?.index
    if (index !== undefined)
      await this.#closeRefused('user' in whose ? index.ofUser(whose.user) : index.ofRealm(whose.realm))
  }

  /** Regular care: collects idle queues, notices that Redis lost something, keeps the log moving. */
  async sweep(): Promise<void> {
    const { shard, store, tick } = this.#options
    const memory = this.#memory
    if (!this.#owned || memory === undefined || memory.position === undefined) return
    const { position: expected, index } = memory
    const second = Date.now() / 1000 + this.#skew
    const candidates = [...index.all()].filter(({ dueAt }) => dueAt <= second).slice(0, queuesPerSweep)
    const wasWorking = this.#working !== undefined
    const { position, now, due } = await store.sweep(
      shard,
      candidates.map((queue) => [queue.number, idleSeconds(queue)]),
    )
    this.#skew = now - Date.now() / 1000
    for (const [number, dueAt] of due) {
      const queue = index.get(number)
      // What Redis has not opened yet (an append that is planned, or lost) is not gone.
      if (queue === undefined || number >= position) continue
      queue.dueAt = dueAt
      if (dueAt > 0) continue
      index.remove(number)
      closedQueues.inc({ reason: queue.unsettled === undefined ? 'idle' : 'unsettled' })
    }
    if (!this.#owned) return
    queueCount.set(this.#label, index.size)
    const isQuiet = !wasWorking && this.#working === undefined && this.#memory?.position === expected
    if (isQuiet && position !== expected) this.#working = this.#work(true)
    await closeForgotten(this.#options, memory, () => this.#owned && this.#memory === memory)
    if (Date.now() - this.#lastRecordAt > longestSilence * 1000) await tick()
    await this.#listenAgain(index)
    if (this.#hasReleased || !isNews(this.#options.release, memory.sequences)) return
    await this.#options.announceRelease()
    this.#hasReleased = true
  }

  async #listenAgain(index: QueueIndex): Promise<void> {
    if (Date.now() - this.#listenedAt < listenAgainAfter) return
    const listeners = index.publicListeners()
    for (const some of portions(listeners, listenersPerQuestion)) await this.#options.listen(some)
    this.#listenedAt = Date.now()
  }

  /**
   * Applies what is received until nothing is left; first reads again what Redis holds, when told to. Begins at once, and
   * there has to be something to do: its promise is kept before it ends.
   */
  async #work(mustReplay = false): Promise<void> {
    let replaying = mustReplay
    while (this.#owned && (replaying || this.#inbox.size > 0)) {
      const gathering = replaying ? 0 : this.#gatheringTime()
      if (gathering > 0) {
        await pause(gathering)
        continue
      }
      try {
        if (replaying) await this.#replay()
        else await this.#apply(this.#inbox.nextBatch())
        replaying = false
      } catch (error) {
        if (!(error instanceof EngineUnavailableError)) {
          this.#options.log.error({ err: error, shard: this.#options.shard }, 'a shard cannot go on')
        }
        // What was planned is not, or may not be, what Redis holds: begin from what it says.
        replaying = true
        this.#isAhead = true
        await pause(retryPause)
      }
    }
    this.#working = undefined
  }

  /** Milliseconds that it is worth to wait for more records. */
  #gatheringTime(): number {
    if (this.#inbox.isFull) return 0
    return Math.ceil(Math.max(0, this.#appendedAt + this.#options.pace.gathering - performance.now()))
  }

  async #apply(batch: readonly ReceivedRecord[]): Promise<void> {
    const memory = this.#memory?.position === undefined ? await this.#begin(batch[0]!.offset) : this.#memory!
    const spans = recordSpans(batch)
    const plan = planBatch(memory.index, memory.sequences, batch, spans)
    this.#isAnswering = this.#options.foretell(plan.append)
    await endOfTurn()
    this.#isAnswering = false
    const outcome = await spans.together('append batch', () => this.#append(plan.append)).finally(spans.end)
    if (!outcome.done) {
      if (outcome.position !== undefined) return this.#replay()
      // Emptied under our hands: the log goes on from here.
      await this.#begin(batch[0]!.offset)
      return this.#apply(batch)
    }
    this.#appendedAt = performance.now()
    for (const [offsets, queues] of plan.append.deliveries)
      this.#options.pace.count(offsets.length * queues.length)
    memory.position = plan.append.to
    memory.sequences = plan.sequences
    for (const number of [...outcome.gone, ...outcome.full]) memory.index.remove(number)
    if (outcome.full.length > 0) closedQueues.inc({ reason: 'full' }, outcome.full.length)
    if (plan.repeated > 0) skippedRecords.inc({ reason: 'repeated' }, plan.repeated)
    for (const { record, error } of plan.malformed) {
      skippedRecords.inc({ reason: 'malformed' })
      this.#options
        .setAside(record, error)
        .catch((failure) => this.#options.log.error({ err: failure, record }, 'could not set a record aside'))
    }
    if (plan.lastAt !== undefined) shardDelay.set(this.#label, Math.max(0, Date.now() - plan.lastAt) / 1000)
    shardBacklog.set(this.#label, this.#inbox.size)
    const opened = plan.append.opened.flatMap(({ number }) => memory.index.get(number) ?? [])
    await this.#closeRefused(opened)
    for (const user of new Set(opened.map(({ entry }) => entry.opened.user)))
      await trim(this.#options, memory, user)
  }

  async #append(append: Append): Promise<AppendOutcome> {
    const { shard, store, maxPending } = this.#options
    const end = appendDuration.startTimer()
    try {
      return await store.append(shard, append, maxPending)
    } finally {
      end()
    }
  }

  /** Redis holds nothing of the shard, which begins at this record. What we know of was lost with it. */
  async #begin(offset: number): Promise<ShardMemory> {
    const { shard, store, log } = this.#options
    const lost = this.#memory === undefined ? [] : [...this.#memory.index.all()].map(({ number }) => number)
    await store.initialise(shard, offset)
    if (lost.length > 0) {
      log.error({ shard, queues: lost.length }, 'Redis was emptied: clients have to register anew')
      closedQueues.inc({ reason: 'lost' }, lost.length)
      await store.announceClosed(shard, lost)
    }
    this.#memory = { ...emptyMemory(offset), sequences: this.#memory?.sequences ?? {} }
    return this.#memory
  }

  /** Redis stands elsewhere than we thought: it lost something, or another process is (or was) at work. */
  async #replay(): Promise<void> {
    const { shard, store, log, seek, tick } = this.#options
    const expected = this.#memory?.position
    const stored = await store.position(shard)
    log.warn({ shard, stored, expected }, 'reading the log again from where Redis stands')
    replays.inc(this.#label)
    if (stored === undefined) {
      if (expected !== undefined) await this.#begin(expected)
    } else {
      await this.#reload()
    }
    const position = this.#memory?.position
    this.#inbox.restart(position)
    if (!this.#owned || position === undefined) return
    seek(position)
    // Polls that wait for the log to reach Redis hear of it even when nothing else happens.
    await tick()
  }

  async #reload(): Promise<void> {
    this.#memory = await loadMemory(this.#options.store, this.#options.shard)
    this.#isAhead = false
    this.#listenedAt = 0
    await this.#closeRefused(this.#memory.index.all())
  }

  async #closeRefused(queues: Iterable<IndexedQueue>): Promise<void> {
    if (this.#owned && this.#memory !== undefined) await closeRefused(this.#options, this.#memory, queues)
  }

  /** Records came that do not continue what we have: left over from before a seek, or the log has lost its beginning. */
  async #closeGap(offered: number): Promise<void> {
    const { shard, store, log, seek, logStart, maxPending } = this.#options
    await this.#working
    const memory = this.#memory
    if (memory?.position === undefined || !this.#owned) return
    const start = await logStart()
    this.#inbox.restart(Math.max(start, memory.position))
    if (start > memory.position) {
      // What cannot be had would be a silent gap in every queue: they end, and their clients begin anew.
      log.error({ shard, position: memory.position, start, offered }, 'records are gone from the log')
      const numbers = [...memory.index.all()].map(({ number }) => number)
      const closed = await store.close(
        shard,
        numbers.map((number) => [number, false]),
      )
      closedQueues.inc({ reason: 'lost' }, closed.length)
      const nothing = { deliveries: [], texts: [], opened: [], settled: [], sequences: {} }
      await store.append(shard, { from: memory.position, to: start, ...nothing }, maxPending)
      this.#memory = { ...emptyMemory(start), sequences: memory.sequences }
    }
    seek(Math.max(start, memory.position))
  }
}
