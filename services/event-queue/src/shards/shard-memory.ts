import type { SeenSequences } from '@parley/bus'
import { StoredEvent } from '../polls/stored-event.ts'
import type { ShardStore } from '../store/shard-store.ts'
import { QueueIndex, type UnsettledEvent } from './queue-index.ts'

/** What a shard's owner keeps of it in memory. */
export interface ShardMemory {
  readonly index: QueueIndex
  sequences: SeenSequences
  /** Offset of the record that is to be applied next; undefined when Redis holds nothing of the shard. */
  position: number | undefined
}

export const emptyMemory = (position: number | undefined): ShardMemory => ({
  index: new QueueIndex(),
  sequences: {},
  position,
})

const unsettledEvents = async (
  store: ShardStore,
  shard: number,
  offsets: readonly number[],
): Promise<UnsettledEvent[]> => {
  const texts = await store.texts(shard, offsets)
  return offsets.flatMap((offset, index) => {
    const text = texts[index]
    if (text === undefined) return []
    const { source, xid, type } = new StoredEvent(offset, text).head
    return [{ offset, source, xid, type }]
  })
}

/** Reads a shard as Redis holds it. */
export const loadMemory = async (store: ShardStore, shard: number): Promise<ShardMemory> => {
  const stored = await store.load(shard)
  const memory = emptyMemory(stored.position)
  memory.sequences = stored.sequences
  for (const [number, entry] of stored.queues) {
    const held = stored.unsettled.get(number)
    memory.index.add(
      number,
      entry,
      held === undefined ? undefined : await unsettledEvents(store, shard, held),
    )
  }
  return memory
}
