import type { TopicDeclaration } from '@parley/contracts'
import type { Database, Transaction } from '@parley/db'
import { Counter, Histogram } from 'prom-client'
import type { Slot } from './assignment.ts'
import type { Bus } from './bus.ts'
import { setAside } from './dead-letters.ts'
import { startMember } from './group-member.ts'
import { handOver, UnreadableRecordError } from './hand-over.ts'
import { inboxPosition, type StoredPosition, storePosition } from './inbox.ts'
import type { FetchedBatch } from './membership.ts'
import type { ReceivedRecord } from './received-record.ts'
import { readReplay, replaysTopic } from './replays.ts'
import { isRepeated } from './sequence.ts'
import { consumerSpan, withSpan } from './trace.ts'

const processed = new Counter({
  name: 'parley_consumed_records_total',
  help: 'Records whose effect and position were stored.',
  labelNames: ['consumer'],
})

const duration = new Histogram({
  name: 'parley_consume_seconds',
  help: 'Time of storing the effect of a portion of records, by how it ended.',
  labelNames: ['consumer', 'topic', 'outcome'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
})

/** Records of one transaction: few enough to be done long before its time limit. */
const recordsPerTransaction = 100
/** Milliseconds that a fetch of an idle consumer waits in the broker, at most (quiet-client.ts). */
const maxWait = 1500
/**
 * Milliseconds between fetches under a stream of records: few transactions with many records each, and few fetches for
 * whom most records do not concern.
 */
const [linger, lingerOfBystander] = [20, 100]
/** Milliseconds for which records without effect may leave the stored position behind. */
const storedAtLeastEvery = 1000

export interface RunningConsumer {
  /** Ends after the records in hand. */
  stop(): Promise<void>
}

export interface Fact<V> {
  readonly key: string
  /** Null when the entity is gone. */
  readonly value: V | null
  readonly record: ReceivedRecord
}

/** How far a consumer has come with a partition. */
interface Progress {
  /** What the database holds. */
  readonly stored: StoredPosition
  /** What was looked at: further, when the records since then have no effect. */
  readonly seen: StoredPosition
  /** When `stored` was written or read: milliseconds of the process' clock. */
  readonly storedAt: number
}

/**
 * Follows a topic into this service's database. The effect of a record and the consumer's position commit in one
 * transaction, so each record has its effect once, whatever is killed or comes back late. `name` is permanent: it is the
 * Kafka group, the key of the position, and the label of dead letters.
 *
 * `handle` may run again for the same record after a failure; its transaction was rolled back. A record that fails
 * five times, or does not fit the topic's schema, goes to the dead letters; an engine that is away is waited for.
 * `concerns`, for a consumer that most records mean nothing to: whether a value, whose form is not checked yet, has any
 * effect. Those that have none cost no transaction, and may be looked at again after a restart.
 * `stuckAfter` (milliseconds): when nothing moves for so long, the consumer is replaced.
 */
export const consumeIntoDatabase = async <V>(options: {
  bus: Bus
  database: Database
  name: string
  topic: TopicDeclaration<V>
  handle: (tx: Transaction, fact: Fact<V>) => Promise<void>
  concerns?: (value: V) => boolean
  stuckAfter?: number
}): Promise<RunningConsumer> => {
  const { bus, database, name, topic, handle, concerns, stuckAfter } = options
  const progress = new Map<string, Progress>()

  const positionOf = async ({ topic, partition }: Slot): Promise<number | undefined> => {
    const stored = await inboxPosition(database, name, topic, partition)
    progress.set(`${topic}/${partition}`, { stored, seen: stored, storedAt: performance.now() })
    return stored.nextOffset
  }

  /** Of what cannot be read, `read` says what is wrong with it. */
  const hasEffect = (record: ReceivedRecord): boolean => {
    if (concerns === undefined || record.value === null || record.topic === replaysTopic) return true
    try {
      return concerns(JSON.parse(record.value))
    } catch {
      return true
    }
  }

  /** One transaction for the position after these records, and for what they do; none while they do nothing. */
  const store = async (
    { topic, partition }: FetchedBatch,
    records: readonly ReceivedRecord[],
    nextOffset: number,
    effect: (tx: Transaction, fresh: readonly ReceivedRecord[]) => Promise<void>,
  ): Promise<void> => {
    const place = `${topic}/${partition}`
    const { stored, seen: before, storedAt } = progress.get(place)!
    const seqs = { ...before.seqs }
    const fresh = records.filter((record) => !isRepeated(seqs, record) && hasEffect(record))
    const seen = { nextOffset, seqs }
    const now = performance.now()
    if (concerns !== undefined && fresh.length === 0 && now - storedAt < storedAtLeastEvery) {
      progress.set(place, { stored, seen, storedAt })
    } else {
      const end = duration.startTimer({ consumer: name, topic })
      let outcome = 'failed'
      try {
        await database.transaction(async (tx) => {
          // First: the position is locked, so that of two processes that believe to own the partition one gives up.
          await storePosition(tx, { consumer: name, topic, partition }, stored, seen)
          await effect(tx, fresh)
        })
        outcome = 'stored'
      } finally {
        end({ outcome })
      }
      progress.set(place, { stored: seen, seen, storedAt: now })
    }
    processed.inc({ consumer: name }, records.length)
  }

  const read = (record: ReceivedRecord): Fact<V> => {
    try {
      const value = record.value === null ? null : topic.value.parse(JSON.parse(record.value))
      return { key: record.key ?? '', value, record }
    } catch (error) {
      throw new UnreadableRecordError(error)
    }
  }

  const apply = async (tx: Transaction, fact: Fact<V>): Promise<void> => {
    const span = consumerSpan(topic.name, name, fact.record.traceparent)
    try {
      await withSpan(span, () => handle(tx, fact))
    } finally {
      span?.end()
    }
  }

  /** What the record is about: a replayed one is about the dead letter in it, if that is ours. */
  const opened = (record: ReceivedRecord): ReceivedRecord[] =>
    record.topic === replaysTopic ? readReplay(record, name) : [record]

  const member = await startMember({
    bus,
    group: name,
    label: name,
    topics: [topic.name, replaysTopic],
    maxWait,
    linger: concerns === undefined ? linger : lingerOfBystander,
    tellsKafka: false,
    positionOf,
    handle: (batch) =>
      handOver(batch, {
        portion: recordsPerTransaction,
        handle: (records, nextOffset) =>
          store(batch, records, nextOffset, async (tx, fresh) => {
            for (const fact of fresh.flatMap(opened).map(read)) await apply(tx, fact)
          }),
        setAside: async (record, error, attempts) => {
          for (const refused of opened(record)) await setAside(bus, name, refused, error, attempts)
          await store(batch, [record], record.offset + 1, async () => {})
        },
      }),
    ...(stuckAfter === undefined ? {} : { stuckAfter }),
  })
  return { stop: member.stop }
}
