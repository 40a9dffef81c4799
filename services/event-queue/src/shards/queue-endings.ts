import { closedQueues } from '../metrics.ts'
import type { QueueOpened } from '../queues/queue-records.ts'
import type { ShardStore } from '../store/shard-store.ts'
import type { IndexedQueue } from './queue-index.ts'
import type { ShardMemory } from './shard-memory.ts'

/** Which queues of a shard its owner ends, besides those that are idle. */
interface Endings {
  readonly shard: number
  readonly store: Pick<ShardStore, 'close' | 'compare' | 'trim'>
  /** Queues that one user may have. */
  readonly maxQueues: number
  /** Whether a queue may not be (any more). */
  readonly refuses: (opened: QueueOpened) => boolean
}

const close = ({ shard, store }: Endings, queues: readonly number[]): Promise<number[]> =>
  store.close(
    shard,
    queues.map((number) => [number, false]),
  )

/** Closes those of the queues whose accounts may not have them. */
export const closeRefused = async (
  endings: Endings,
  { index, position = 0 }: ShardMemory,
  queues: Iterable<IndexedQueue>,
): Promise<void> => {
  // Those that the append under way opens have their turn when Redis has them.
  const numbers = [...queues]
    .filter(({ number, entry }) => number < position && endings.refuses(entry.opened))
    .map(({ number }) => number)
  if (numbers.length === 0) return
  const closed = await close(endings, numbers)
  for (const number of numbers) index.remove(number)
  closedQueues.inc({ reason: 'deactivated' }, closed.length)
}

/** A client that opens queues and forgets them costs itself the oldest, and nobody else anything. */
export const trim = async (endings: Endings, { index }: ShardMemory, user: number): Promise<void> => {
  const { shard, store, maxQueues } = endings
  const numbers = [...index.ofUser(user)].map(({ number }) => number)
  if (numbers.length <= maxQueues) return
  const closed = await store.trim(shard, numbers, maxQueues)
  for (const number of closed) index.remove(number)
  closedQueues.inc({ reason: 'too many' }, closed.length)
}

/**
 * Finds queues of which Redis forgot that they were closed, and closes them again: nothing was handed to them since, and
 * their clients would wait for it in vain. What others closed is forgotten here, too.
 */
export const closeForgotten = async (
  endings: Endings,
  memory: ShardMemory,
  isCurrent: () => boolean,
): Promise<void> => {
  const { index } = memory
  const { position, queues } = await endings.store.compare(endings.shard, index.size)
  if (queues === undefined || !isCurrent()) return
  const opened = Math.min(position, memory.position ?? 0)
  const there = new Set(queues)
  for (const { number } of index.all()) if (number < opened && !there.has(number)) index.remove(number)
  const forgotten = queues.filter((number) => number < opened && index.get(number) === undefined)
  if (forgotten.length === 0) return
  const closed = await close(endings, forgotten)
  closedQueues.inc({ reason: 'lost' }, closed.length)
}
