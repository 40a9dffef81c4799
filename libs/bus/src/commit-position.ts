import type { Kafka } from 'kafkajs'
import { consumerSettings } from './consumer-settings.ts'

/**
 * Stores the position of a group that nobody is in, for tools. (The client's `setOffsets` waits for a fetch of five
 * seconds.)
 */
export const commitPosition = async (
  kafka: Kafka,
  groupId: string,
  place: { topic: string; partition: number; offset: number },
): Promise<void> => {
  const { topic, partition, offset } = place
  const consumer = kafka.consumer({ ...consumerSettings(groupId, 50), retry: { retries: 5 } })
  const { promise: joined, resolve, reject } = Promise.withResolvers<void>()
  consumer.on(consumer.events.GROUP_JOIN, () => {
    consumer.pause([{ topic }])
    resolve()
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
  await consumer.connect()
  try {
    await consumer.subscribe({ topics: [topic] })
    await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async () => {} })
    await joined
    await consumer.commitOffsets([{ topic, partition, offset: String(offset) }])
  } finally {
    await consumer.disconnect()
  }
}
