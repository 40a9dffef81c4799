import type { Append } from '../store/shard-store.ts'
import type { PollBatches } from './poll-batches.ts'
import { StoredEvent } from './stored-event.ts'
import type { WaitingPoll } from './waiting-poll.ts'
import type { Appended } from './wake-up.ts'

/** Events of a shard, the last that were read, whose forms are kept for further readers. */
const mostInUse = 256

/** What one process knows of a shard: its waiting polls, recent events, and how far the news reach without a gap. */
export class ShardView {
  readonly shard: number
  readonly batches: PollBatches
  /** The log has been applied up to here, as far as the news tell; or will have been in a moment, as was foretold. */
  seenTo = -1
  /** The news are without a gap from here to `seenTo`; -1 before the first. */
  runFrom = -1
  /** Records before this offset are certainly in the log. */
  knownEnd = 0
  /** Counts news. */
  news = 0
  readonly #waiting = new Map<number, WaitingPoll>()
  readonly #unsettled = new Set<WaitingPoll>()
  readonly #events = new Map<number, StoredEvent>()
  readonly #inUse: StoredEvent[] = []
  readonly #eventBytes: number
  #bytes = 0
  /** End of the last news: what was foretold beyond it is not in Redis for certain. */
  #confirmedTo = -1

  constructor(shard: number, eventBytes: number, batches: PollBatches) {
    this.shard = shard
    this.batches = batches
    this.#eventBytes = eventBytes
  }

  add(poll: WaitingPoll): void {
    poll.sibling = this.#waiting.get(poll.id.queue)
    this.#waiting.set(poll.id.queue, poll)
  }

  remove(poll: WaitingPoll): void {
    const first = this.#waiting.get(poll.id.queue)
    if (first === poll) {
      if (poll.sibling === undefined) this.#waiting.delete(poll.id.queue)
      else this.#waiting.set(poll.id.queue, poll.sibling)
      return
    }
    for (let before = first; before !== undefined; before = before.sibling) {
      if (before.sibling === poll) before.sibling = poll.sibling
    }
  }

  /** Polls of a queue; safe against removal while they are gone through. */
  pollsOf(queue: number): WaitingPoll[] {
    const found: WaitingPoll[] = []
    for (let poll = this.#waiting.get(queue); poll !== undefined; poll = poll.sibling) found.push(poll)
    return found
  }

  isWaitedFor(queue: number): boolean {
    return this.#waiting.has(queue)
  }

  all(): WaitingPoll[] {
    return [...this.#waiting.keys()].flatMap((queue) => this.pollsOf(queue))
  }

  /** Polls that any news of the shard concerns. */
  unsettled(): WaitingPoll[] {
    return this.#unsettled.size === 0 ? [] : [...this.#unsettled]
  }

  setUnsettled(poll: WaitingPoll, unsettled: boolean): void {
    if (unsettled) {
      poll.state = 'unsettled'
      this.#unsettled.add(poll)
    } else {
      this.#unsettled.delete(poll)
    }
  }

  event(offset: number): StoredEvent | undefined {
    const event = this.#events.get(offset)
    if (event !== undefined) this.#use(event)
    return event
  }

  remember(offset: number, stored: string): StoredEvent {
    const known = this.#events.get(offset)
    if (known !== undefined) return known
    const event = new StoredEvent(offset, stored)
    this.#events.set(offset, event)
    this.#use(event)
    this.#bytes += event.bytes
    for (const [oldest, { bytes }] of this.#events) {
      if (this.#bytes <= this.#eventBytes || oldest === offset) break
      this.#events.delete(oldest)
      this.#bytes -= bytes
    }
    return event
  }

  /** The log is known to reach at least so far. */
  noteEnd(end: number): void {
    this.knownEnd = Math.max(this.knownEnd, end)
  }

  #use(event: StoredEvent): void {
    if (event.isInUse) return
    event.isInUse = true
    this.#inUse.push(event)
    if (this.#inUse.length > mostInUse) this.#inUse.shift()!.putAway()
  }

  /** Takes in what is about to be appended; false when it does not continue what is known. */
  foretell({ from, to, texts }: Append): boolean {
    if (from !== this.seenTo) return false
    for (const [offset, text] of texts) this.remember(offset, text)
    this.seenTo = to
    this.noteEnd(to)
    return true
  }

  /** Takes news in: what was foretold, what continues the news before, or what comes after news that were missed. */
  take({ from, to, offsets, texts }: Appended): 'foretold' | 'next' | 'after a gap' {
    this.news += 1
    const isForetold = from >= this.#confirmedTo && to <= this.seenTo
    this.#confirmedTo = to
    if (isForetold) return 'foretold'
    // Anything but the next piece of the log begins a new run: news were missed, or Redis is being rebuilt.
    const isNext = from === this.seenTo
    if (!isNext) this.runFrom = from
    this.seenTo = to
    this.noteEnd(to)
    for (const [index, offset] of offsets.entries()) this.remember(offset, texts[index]!)
    return isNext ? 'next' : 'after a gap'
  }
}
