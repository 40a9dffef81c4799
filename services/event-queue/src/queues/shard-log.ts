import { type Bus, clientEventsTopic } from '@parley/bus'
import {
  kindHeader,
  type OwnRecordKind,
  type QueueOpened,
  type QueueSettled,
  type Released,
} from './queue-records.ts'

/** Writes event-queue's own records into the logs of shards. Each resolves when Kafka has the record for good. */
export interface ShardLog {
  /** Answers the queue's number. */
  open(shard: number, opened: QueueOpened): Promise<number>
  /** Answers the record's offset. */
  settle(shard: number, settled: QueueSettled): Promise<number>
  /** Answers the record's offset. */
  release(shard: number, released: Released): Promise<number>
  /** A record without effect; answers its offset. */
  tick(shard: number): Promise<number>
}

export const shardLog = (bus: Bus): ShardLog => {
  const write = async (shard: number, kind: OwnRecordKind, value: string): Promise<number> => {
    const { offset } = await bus.publish(clientEventsTopic, {
      key: kind,
      value,
      partition: shard,
      headers: { [kindHeader]: kind },
    })
    return offset
  }
  return {
    open: (shard, opened) => write(shard, 'queue-opened', JSON.stringify(opened)),
    settle: (shard, settled) => write(shard, 'queue-settled', JSON.stringify(settled)),
    release: (shard, released) => write(shard, 'released', JSON.stringify(released)),
    tick: (shard) => write(shard, 'tick', ''),
  }
}
