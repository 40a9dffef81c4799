import { type DeadLetter, deadLettersTopic } from './dead-letters.ts'
import { guarded, type KafkaAccess, kafkaClient } from './kafka-client.ts'
import { readPartition } from './read-partition.ts'

/**
 * What consumers have set aside and Kafka still has, the oldest first; `consumer` names one of them.
 *
 * @throws EngineUnavailableError when Kafka is away.
 */
export const readDeadLetters = async (
  options: KafkaAccess & { consumer?: string },
): Promise<DeadLetter[]> => {
  const kafka = kafkaClient({ access: options, clientId: 'read-dead-letters' })
  const admin = kafka.admin()
  const letters: DeadLetter[] = []
  const read = async (): Promise<void> => {
    const [range] = (await admin.fetchTopicOffsets(deadLettersTopic)).filter(
      ({ partition }) => partition === 0,
    )
    const place = { topic: deadLettersTopic, partition: 0, from: Number(range!.low), to: Number(range!.high) }
    await readPartition(kafka, admin, place, ({ key, value }) => {
      if (value !== null && (options.consumer === undefined || key === options.consumer))
        letters.push(JSON.parse(value) as DeadLetter)
    })
  }
  try {
    await guarded(admin.connect())
    await guarded(read())
    return letters
  } finally {
    await admin.disconnect().catch(() => {})
  }
}
