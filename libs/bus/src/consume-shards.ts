import type { Bus } from './bus.ts'
import { clientEventsTopic } from './client-events.ts'
import type { RunningConsumer } from './consume-into-database.ts'
import { consumerSettings } from './consumer-settings.ts'
import { partitionPositions } from './partition-positions.ts'
import { type ReceivedRecord, receivedRecord } from './received-record.ts'

export interface ShardConsumer extends RunningConsumer {
  /** Reads a shard again from an offset: its store turned out to be behind, or ahead. */
  seek(partition: number, offset: number): void
}

/**
 * Owns shards of client events: each partition belongs to one process at a time, which keeps its position where the
 * effect is (Redis). Built for latency: a batch is handed over as soon as it is there.
 */
export const consumeShards = async (options: {
  bus: Bus
  name: string
  /** The shard is ours now: where its store stands; undefined for a store that is empty. */
  onAssigned: (partition: number) => Promise<number | undefined>
  /**
   * The records of one fetch, in order, each at or after the shard's position. Throwing has the same
   * records delivered again.
   */
  handle: (
    partition: number,
    records: readonly ReceivedRecord[],
    heartbeat: () => Promise<void>,
  ) => Promise<void>
  /** The shards that this process owns now; those missing have been taken away. */
  onOwned: (partitions: readonly number[]) => void
}): Promise<ShardConsumer> => {
  const { bus, name, onAssigned, handle, onOwned } = options
  const topic = clientEventsTopic
  const consumer = bus.kafka.consumer(consumerSettings(name, 10))
  const positions = partitionPositions(onAssigned)

  consumer.on(consumer.events.REBALANCING, () => onOwned([]))
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    positions.reset()
    onOwned(payload.memberAssignment[topic] ?? [])
  })
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({
    partitionsConsumedConcurrently: 1,
    eachBatchAutoResolve: false,
    eachBatch: async ({ batch, heartbeat, resolveOffset, isRunning, isStale }) => {
      if (!isRunning() || isStale()) return
      const { partition } = batch
      const place = await positions.place(partition, Number(batch.firstOffset() ?? 0))
      if ('seekTo' in place) {
        consumer.seek({ topic, partition, offset: String(place.seekTo) })
        return
      }
      const records = batch.messages
        .map((message) => receivedRecord(topic, partition, message))
        .filter((record) => record.offset >= place.from)
      if (records.length > 0) await handle(partition, records, heartbeat)
      const last = Number(batch.lastOffset())
      if (isStale()) return
      positions.advance(partition, last + 1)
      resolveOffset(String(last))
    },
  })
  return {
    seek: (partition, offset) => {
      positions.advance(partition, offset)
      consumer.seek({ topic, partition, offset: String(offset) })
    },
    stop: () => consumer.disconnect(),
  }
}
