import type { Bus } from './bus.ts'
import { clientEventsTopic } from './client-events.ts'
import type { RunningConsumer } from './consume-into-database.ts'
import { setAside } from './dead-letters.ts'
import { startMember } from './group-member.ts'
import { handOver } from './hand-over.ts'
import type { ReceivedRecord } from './received-record.ts'

export interface ShardConsumer extends RunningConsumer {
  /** Reads a shard again from an offset: its store turned out to be behind, or ahead. */
  seek(partition: number, offset: number): void
}

/** Milliseconds that a fetch of an idle consumer waits in the broker, and a seek at most for it. */
const maxWait = 250

/**
 * Owns shards of client events: each partition belongs to one process at a time, which keeps its position where the
 * effect is (Redis). Built for latency: a batch is handed over as soon as it is there.
 */
export const consumeShards = async (options: {
  bus: Bus
  name: string
  /**
   * The shard is ours now: where its store stands; undefined for a store that is empty, which begins where the group
   * stood by Kafka's (rougher) account, else with the oldest record. Throwing has it asked again.
   */
  onAssigned: (partition: number) => Promise<number | undefined>
  /**
   * The records of one fetch, in order, each at or after the shard's position. While it throws EngineUnavailableError
   * it gets the same records again; after any other error they come one by one, and one that fails five times goes to
   * the dead letters. Heartbeats are sent for it however long it takes (the third argument is not needed any more).
   */
  handle: (
    partition: number,
    records: readonly ReceivedRecord[],
    heartbeat: () => Promise<void>,
  ) => Promise<void>
  /** The shards that this process owns now; those missing have been taken away. */
  onOwned: (partitions: readonly number[]) => void
  /** The topic, if it is not that of client events. */
  topic?: string
  /** Milliseconds without progress after which the consumer is replaced. */
  stuckAfter?: number
}): Promise<ShardConsumer> => {
  const { bus, name, onAssigned, handle, onOwned, topic = clientEventsTopic, stuckAfter } = options
  const member = await startMember({
    bus,
    group: name,
    label: name,
    topics: [topic],
    maxWait,
    tellsKafka: true,
    positionOf: ({ partition }) => onAssigned(partition),
    onAssignment: (slots) => onOwned(slots.map(({ partition }) => partition)),
    handle: (batch) =>
      handOver(batch, {
        portion: batch.records.length,
        handle: (records) => handle(batch.partition, records, async () => {}),
        setAside: (record, error, attempts) => setAside(bus, name, record, error, attempts),
      }),
    ...(stuckAfter === undefined ? {} : { stuckAfter }),
  })
  return { seek: (partition, offset) => member.seek(topic, partition, offset), stop: member.stop }
}
