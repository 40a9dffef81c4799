import { EngineUnavailableError, type TopicDeclaration } from '@parley/contracts'
import type { Database, Transaction } from '@parley/db'
import type { EachBatchPayload } from 'kafkajs'
import { Counter } from 'prom-client'
import type { Bus } from './bus.ts'
import { consumerSettings } from './consumer-settings.ts'
import { setAside } from './dead-letters.ts'
import { partitionPositions } from './partition-positions.ts'
import { type ReceivedRecord, receivedRecord } from './received-record.ts'
import { isRepeated, type SeenSequences } from './sequence.ts'
import { consumerSpan, withSpan } from './trace.ts'

const processed = new Counter({
  name: 'parley_consumed_records_total',
  help: 'Records whose effect and position were stored.',
  labelNames: ['consumer'],
})

/** How often a record is tried before it is set aside. */
const maxAttempts = 5

export interface RunningConsumer {
  stop(): Promise<void>
}

export interface Fact<V> {
  readonly key: string
  /** Null when the entity is gone. */
  readonly value: V | null
  readonly record: ReceivedRecord
}

/**
 * Follows a topic into this service's database. The effect of a record and the consumer's position commit in one
 * transaction, so each record has its effect once, whatever is killed. `name` is permanent: it is the Kafka group,
 * the key of the position, and the label of dead letters.
 *
 * `handle` may run again for the same record after a failure; its transaction was rolled back. A record that fails
 * five times, or does not fit the topic's schema, goes to the dead letters; an engine that is away is waited for.
 */
export const consumeIntoDatabase = async <V>(options: {
  bus: Bus
  database: Database
  name: string
  topic: TopicDeclaration<V>
  handle: (tx: Transaction, fact: Fact<V>) => Promise<void>
}): Promise<RunningConsumer> => {
  const { bus, database, name, topic, handle } = options
  const consumer = bus.kafka.consumer(consumerSettings(name, 100))
  const seen = new Map<number, SeenSequences>()
  const positions = partitionPositions(async (partition) => {
    const [row] = await database.guard(database.sql<{ next_offset: number; seqs: SeenSequences }[]>`
      SELECT next_offset, seqs FROM inbox
      WHERE consumer = ${name} AND topic = ${topic.name} AND partition = ${partition}`)
    seen.set(partition, row?.seqs ?? {})
    return row?.next_offset
  })

  const storePosition = async (
    tx: Transaction,
    partition: number,
    nextOffset: number,
    seqs: SeenSequences,
  ) => {
    await tx.sql`
      INSERT INTO inbox (consumer, topic, partition, next_offset, seqs)
      VALUES (${name}, ${topic.name}, ${partition}, ${nextOffset}, ${tx.sql.json(seqs)})
      ON CONFLICT (consumer, topic, partition) DO UPDATE SET next_offset = excluded.next_offset, seqs = excluded.seqs`
  }

  const apply = async (tx: Transaction, record: ReceivedRecord): Promise<void> => {
    const value = record.value === null ? null : topic.value.parse(JSON.parse(record.value))
    const span = consumerSpan(topic.name, name, record.traceparent)
    try {
      await withSpan(span, () => handle(tx, { key: record.key ?? '', value, record }))
    } finally {
      span?.end()
    }
  }

  /** One transaction for these records and the position after them. */
  const storeTogether = async (records: readonly ReceivedRecord[], nextOffset: number): Promise<void> => {
    const { partition } = records[0]!
    const seqs = { ...seen.get(partition) }
    const fresh = records.filter((record) => !isRepeated(seqs, record))
    await database.transaction(async (tx) => {
      for (const record of fresh) await apply(tx, record)
      await storePosition(tx, partition, nextOffset, seqs)
    })
    seen.set(partition, seqs)
    processed.inc({ consumer: name }, fresh.length)
  }

  const storeAlone = async (record: ReceivedRecord, heartbeat: () => Promise<void>): Promise<void> => {
    for (let attempts = 1; ; attempts += 1) {
      await heartbeat()
      try {
        return await storeTogether([record], record.offset + 1)
      } catch (error) {
        if (error instanceof EngineUnavailableError) throw error
        if (attempts < maxAttempts) {
          await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempts))
          continue
        }
        await setAside(bus, name, record, error, attempts)
        const seqs = { ...seen.get(record.partition) }
        isRepeated(seqs, record)
        await database.transaction((tx) => storePosition(tx, record.partition, record.offset + 1, seqs))
        seen.set(record.partition, seqs)
        return
      }
    }
  }

  const eachBatch = async ({ batch, heartbeat, resolveOffset, isRunning, isStale }: EachBatchPayload) => {
    const { partition } = batch
    const place = await positions.place(partition, Number(batch.firstOffset() ?? 0))
    if ('seekTo' in place) {
      consumer.seek({ topic: topic.name, partition, offset: String(place.seekTo) })
      return
    }
    const records = batch.messages
      .map((message) => receivedRecord(topic.name, partition, message))
      .filter((record) => record.offset >= place.from)
    const last = Number(batch.lastOffset())
    if (records.length > 0) {
      try {
        await storeTogether(records, last + 1)
      } catch (error) {
        if (error instanceof EngineUnavailableError) throw error
        // One of them is bad: find out which, without holding up the others.
        for (const record of records) {
          if (!isRunning() || isStale()) return
          await storeAlone(record, heartbeat)
        }
      }
    }
    positions.advance(partition, last + 1)
    resolveOffset(String(last))
  }

  consumer.on(consumer.events.GROUP_JOIN, () => positions.reset())
  await consumer.connect()
  await consumer.subscribe({ topic: topic.name, fromBeginning: true })
  await consumer.run({ eachBatch, eachBatchAutoResolve: false, partitionsConsumedConcurrently: 1 })
  return { stop: () => consumer.disconnect() }
}
