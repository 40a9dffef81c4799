import { isVisible } from '@parley/db/snapshot'
import { type NarrowTest, narrowTest } from '../queues/narrow.ts'
import type { QueueEntry } from '../queues/queue-records.ts'
import type { IncomingEvent } from './incoming-event.ts'

interface KnownFilter {
  readonly types: ReadonlySet<string>
  readonly snapshot: { readonly xmin: number; readonly xmax: number; readonly xip: readonly number[] }
}

/** An event that came between a queue's opening and its settling: whether it stays is decided then. */
export interface UnsettledEvent {
  readonly offset: number
  readonly source: string
  readonly xid: number
  readonly type: string
}

/** A queue as its shard's owner sees it. */
export interface IndexedQueue {
  readonly number: number
  entry: QueueEntry
  readonly types: ReadonlySet<string> | null
  readonly narrow: NarrowTest | undefined
  known: ReadonlyMap<string, KnownFilter>
  /** Undefined once the queue is settled. */
  unsettled: UnsettledEvent[] | undefined
  /** When it is to be looked at by the sweep: seconds since the epoch, by Redis' clock; 0 is at once. */
  dueAt: number
}

/** Whether the state that the client got holds what this event says: then the event is not for its queue. */
export const isContained = (
  known: ReadonlyMap<string, KnownFilter>,
  event: { source: string; xid: number; type: string },
): boolean => {
  const filter = known.get(event.source)
  // A type whose state was not read is all news, whenever it committed.
  return filter !== undefined && isVisible(event.xid, filter.snapshot) && filter.types.has(event.type)
}

export const knownFilters = (known: QueueEntry['known']): Map<string, KnownFilter> =>
  new Map(
    Object.entries(known).map(([source, { types, snapshot }]) => [
      source,
      { types: new Set(types), snapshot },
    ]),
  )

const wantedTypes = (types: readonly string[] | null): ReadonlySet<string> | null => {
  if (types === null) return null
  const wanted = new Set(types)
  // "A queue whose event_types contains user_topic does not get muted_topics."
  if (wanted.has('user_topic')) wanted.delete('muted_topics')
  return wanted
}

const into = <K, V>(map: Map<K, Set<V>>, key: K, value: V): void => {
  const known = map.get(key)
  if (known === undefined) map.set(key, new Set([value]))
  else known.add(value)
}

const outOf = <K, V>(map: Map<K, Set<V>>, key: K, value: V): void => {
  const known = map.get(key)
  if (known?.delete(value) && known.size === 0) map.delete(key)
}

/** All queues of a shard, found by who is to receive. */
export class QueueIndex {
  readonly #byNumber = new Map<number, IndexedQueue>()
  readonly #byUser = new Map<number, Set<IndexedQueue>>()
  readonly #byRealm = new Map<number, Set<IndexedQueue>>()
  /** Queues with `all_public_streams`, by realm. */
  readonly #allPublic = new Map<number, Set<IndexedQueue>>()

  get size(): number {
    return this.#byNumber.size
  }

  get(number: number): IndexedQueue | undefined {
    return this.#byNumber.get(number)
  }

  all(): IterableIterator<IndexedQueue> {
    return this.#byNumber.values()
  }

  ofUser(user: number): Iterable<IndexedQueue> {
    return this.#byUser.get(user) ?? []
  }

  ofRealm(realm: number): Iterable<IndexedQueue> {
    return this.#byRealm.get(realm) ?? []
  }

  /** Who has a queue with `all_public_streams`. */
  publicListeners(): { realm_id: number; user_id: number }[] {
    return [...this.#allPublic].flatMap(([realm_id, queues]) =>
      [...new Set([...queues].map(({ entry }) => entry.opened.user))].map((user_id) => ({
        realm_id,
        user_id,
      })),
    )
  }

  add(number: number, entry: QueueEntry, unsettled: UnsettledEvent[] | undefined): IndexedQueue {
    const { opened } = entry
    const queue: IndexedQueue = {
      number,
      entry,
      types: wantedTypes(opened.types),
      narrow: narrowTest(opened.narrow),
      known: knownFilters(entry.known),
      unsettled,
      dueAt: 0,
    }
    this.remove(number)
    this.#byNumber.set(number, queue)
    into(this.#byUser, opened.user, queue)
    into(this.#byRealm, opened.realm, queue)
    if (opened.all_public) into(this.#allPublic, opened.realm, queue)
    return queue
  }

  remove(number: number): void {
    const queue = this.#byNumber.get(number)
    if (queue === undefined) return
    const { opened } = queue.entry
    this.#byNumber.delete(number)
    outOf(this.#byUser, opened.user, queue)
    outOf(this.#byRealm, opened.realm, queue)
    outOf(this.#allPublic, opened.realm, queue)
  }

  /** The queues that an event is for. */
  recipients(event: IncomingEvent): IndexedQueue[] {
    const { envelope } = event
    const found: IndexedQueue[] = []
    if (envelope.everyone) {
      for (const queue of this.#byRealm.get(envelope.realm) ?? []) this.#keep(queue, event, found)
      return found
    }
    for (const user of envelope.users ?? []) {
      for (const queue of this.#byUser.get(user) ?? []) this.#keep(queue, event, found)
    }
    if (envelope.public) {
      const named = new Set(envelope.users)
      for (const queue of this.#allPublic.get(envelope.realm) ?? []) {
        if (!named.has(queue.entry.opened.user)) this.#keep(queue, event, found)
      }
    }
    return found
  }

  #keep(queue: IndexedQueue, event: IncomingEvent, found: IndexedQueue[]): void {
    if (queue.types !== null && !queue.types.has(event.type)) return
    if (queue.entry.opened.realm !== event.envelope.realm) return
    if (queue.narrow !== undefined && event.type === 'message') {
      const reader = queue.entry.opened.user
      if (!queue.narrow(event.messageFor(reader), reader)) return
    }
    if (queue.unsettled === undefined && isContained(queue.known, event.identity)) return
    found.push(queue)
  }
}

/** Seconds that a client is given between opening a queue and having read its state. */
const settleSeconds = 120
/** A parked poll is not idle, however short the queue's timeout. */
const shortestIdle = 58

/** Seconds without a poll after which a queue is collected. */
export const idleSeconds = (queue: IndexedQueue): number =>
  queue.unsettled === undefined ? Math.max(queue.entry.opened.idle, shortestIdle) : settleSeconds
