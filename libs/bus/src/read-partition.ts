import { randomUUID } from 'node:crypto'
import type { Admin, Kafka } from 'kafkajs'
import { consumerSettings } from './consumer-settings.ts'
import { type ReceivedRecord, receivedRecord } from './received-record.ts'

/** Fetches without a record, one after the other, after which nothing is left to read: offsets can be empty. */
const emptyFetches = 5

/**
 * Reads one partition from an offset up to (not including) another, for tools: once, in order, under a group of its own
 * that is gone afterwards.
 */
export const readPartition = async (
  kafka: Kafka,
  admin: Admin,
  place: { topic: string; partition: number; from: number; to: number },
  take: (record: ReceivedRecord) => void,
): Promise<void> => {
  const { topic, partition, from, to } = place
  if (from >= to) return
  const group = `tool.${randomUUID()}`
  const consumer = kafka.consumer({ ...consumerSettings(group, 100), retry: { retries: 5 } })
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>()
  let empty = 0
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    const others = payload.memberAssignment[topic]!.filter((assigned) => assigned !== partition)
    consumer.pause([{ topic, partitions: others }])
    consumer.seek({ topic, partition, offset: String(from) })
  })
  consumer.on(consumer.events.FETCH, () => {
    empty += 1
    if (empty > emptyFetches) resolve()
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
  await consumer.connect()
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: true,
      eachBatch: async ({ batch, heartbeat, isStale }) => {
        empty = 0
        if (batch.partition !== partition || isStale()) return
        for (const message of batch.messages) {
          const record = receivedRecord(topic, partition, message)
          if (record.offset >= from && record.offset < to) take(record)
        }
        if (Number(batch.lastOffset()) + 1 >= to) resolve()
        await heartbeat()
      },
    })
    await finished
  } finally {
    await consumer.disconnect()
    await admin.deleteGroups([group]).catch(() => {})
  }
}
