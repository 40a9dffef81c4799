import type { Admin, Kafka } from 'kafkajs'
import { commitPosition } from './commit-position.ts'
import { type DeadLetter, deadLettersTopic } from './dead-letters.ts'
import { guarded, type KafkaAccess, kafkaClient } from './kafka-client.ts'
import { orderedProducer } from './ordered-producer.ts'
import { readPartition } from './read-partition.ts'
import { replayRecord, replaysTopic } from './replays.ts'

export interface ReplayOutcome {
  /** Letters that the consumer gets once more. */
  readonly replayed: number
  /** Letters of compacted topics that are out of date: a newer state of the same entity has come since. */
  readonly outdated: number
  /** Letters that do not hold the whole value. */
  readonly cut: number
}

interface PlacedLetter {
  readonly offset: number
  readonly letter: DeadLetter
}

/**
 * Has a consumer (one made by consumeIntoDatabase) handle its dead letters once more, in their order, after the reason
 * for them was mended. Each letter is replayed once, however often this is called, and has its effect once; one that
 * fails again becomes a new letter, for a later call. The consumer need not be running.
 *
 * @throws EngineUnavailableError when Kafka is away; to be called again then.
 */
export const replayDeadLetters = async (
  options: KafkaAccess & { consumer: string },
): Promise<ReplayOutcome> => {
  const { consumer } = options
  const kafka = kafkaClient({ access: options, clientId: 'replay-dead-letters' })
  const admin = kafka.admin()
  const producer = orderedProducer(kafka)
  try {
    await guarded(admin.connect())
    return await guarded(replay(kafka, admin, producer, consumer))
  } finally {
    await producer.close().catch(() => {})
    await admin.disconnect().catch(() => {})
  }
}

const replay = async (
  kafka: Kafka,
  admin: Admin,
  producer: ReturnType<typeof orderedProducer>,
  consumer: string,
): Promise<ReplayOutcome> => {
  // How far replays have come is kept as the position of a group that has no members.
  const groupId = `${deadLettersTopic}.replay.${consumer}`
  const { low, high } = await rangeOf(admin, deadLettersTopic, 0)
  const from = Math.max(low, await committedOffset(admin, groupId))
  const letters: PlacedLetter[] = []
  await readPartition(kafka, admin, { topic: deadLettersTopic, partition: 0, from, to: high }, (record) => {
    if (record.key === consumer && record.value !== null)
      letters.push({ offset: record.offset, letter: JSON.parse(record.value) as DeadLetter })
  })
  const whole = letters.filter(({ letter }) => letter.isCut !== true)
  const latest = await withoutOutdated(kafka, admin, whole)
  if (latest.length > 0) {
    const records = latest.map(({ letter, offset }) => ({ ...replayRecord(letter, offset), partition: 0 }))
    for (const record of records) await producer.send([{ topic: replaysTopic, records: [record] }])
  }
  await commitPosition(kafka, groupId, { topic: deadLettersTopic, partition: 0, offset: high })
  return {
    replayed: latest.length,
    outdated: whole.length - latest.length,
    cut: letters.length - whole.length,
  }
}

/** Leaves out letters of compacted topics whose entity has a newer state: the consumer has it, or will have it. */
const withoutOutdated = async (
  kafka: Kafka,
  admin: Admin,
  letters: readonly PlacedLetter[],
): Promise<PlacedLetter[]> => {
  const newest = new Map<string, number>()
  const byPartition = Map.groupBy(letters, ({ letter }) => `${letter.partition} ${letter.topic}`)
  for (const group of byPartition.values()) {
    const { topic, partition } = group[0]!.letter
    if (!(await isCompacted(admin, topic))) continue
    const { low, high } = await rangeOf(admin, topic, partition)
    const from = Math.max(low, Math.min(...group.map(({ letter }) => letter.offset)))
    await readPartition(kafka, admin, { topic, partition, from, to: high }, ({ key, offset }) => {
      newest.set(`${topic} ${key}`, offset)
    })
  }
  return letters.filter(({ letter }) => (newest.get(`${letter.topic} ${letter.key}`) ?? 0) <= letter.offset)
}

const rangeOf = async (
  admin: Admin,
  topic: string,
  partition: number,
): Promise<{ low: number; high: number }> => {
  const found = (await admin.fetchTopicOffsets(topic)).find((known) => known.partition === partition)
  return { low: Number(found?.low ?? 0), high: Number(found?.high ?? 0) }
}

const committedOffset = async (admin: Admin, groupId: string): Promise<number> => {
  const [answer] = await admin.fetchOffsets({ groupId, topics: [deadLettersTopic] })
  return Number(answer?.partitions.find(({ partition }) => partition === 0)?.offset ?? -1)
}

/** https://kafka.apache.org/protocol.html: the type of a resource that is a topic. */
const topicResource = 2

const isCompacted = async (admin: Admin, topic: string): Promise<boolean> => {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: topicResource, name: topic, configNames: ['cleanup.policy'] }],
  })
  return resources[0]?.configEntries[0]?.configValue.includes('compact') ?? false
}
