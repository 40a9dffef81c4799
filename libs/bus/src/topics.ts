import { setTimeout as pause } from 'node:timers/promises'
import { allTopics, type TopicDeclaration } from '@parley/contracts'
import type { Admin } from 'kafkajs'
import { clientEventsTopic } from './client-events.ts'
import { deadLettersTopic } from './dead-letters.ts'
import { type KafkaAccess, kafkaClient } from './kafka-client.ts'
import { isWorthWaiting } from './kafka-errors.ts'
import { replaysTopic } from './replays.ts'

export interface TopicPlan {
  readonly topic: string
  readonly numPartitions: number
  readonly configEntries: { name: string; value: string }[]
}

/** Bytes of the largest record: a change with tens of thousands of recipients. */
const maxRecordBytes = 8 * 1024 * 1024
const hours = (count: number): string => String(count * 3_600_000)
/** What topics have besides what sets them apart. */
export const everyTopic = [{ name: 'max.message.bytes', value: String(maxRecordBytes) }]

/** Every topic as it is to be, but for how many brokers keep a copy. */
export const topicPlans = (
  clientEventPartitions: number,
  declared: readonly TopicDeclaration[] = allTopics,
): TopicPlan[] => [
  {
    topic: clientEventsTopic,
    numPartitions: clientEventPartitions,
    // Long enough to rebuild every shard after Redis was away for most of a day.
    configEntries: [{ name: 'retention.ms', value: hours(24) }],
  },
  {
    topic: deadLettersTopic,
    numPartitions: 1,
    configEntries: [{ name: 'retention.ms', value: hours(24 * 30) }],
  },
  {
    topic: replaysTopic,
    numPartitions: 1,
    configEntries: [{ name: 'retention.ms', value: hours(24 * 7) }],
  },
  ...declared.map(({ name, partitions, compacted }) => ({
    topic: name,
    numPartitions: partitions,
    configEntries: compacted
      ? [
          { name: 'cleanup.policy', value: 'compact' },
          { name: 'min.cleanable.dirty.ratio', value: '0.1' },
        ]
      : [{ name: 'retention.ms', value: hours(24 * 7) }],
  })),
]

/**
 * Creates the topics that are missing: those of facts (all that the contracts declare, unless `declared` says others),
 * and those of this library. Topics that exist are left as they are.
 *
 * @throws Error when a topic has another partition count than declared: changing it re-maps keys, so it is a drained
 * migration (stop producers, let consumers reach the end, recreate the topic).
 */
export const createTopics = async (
  options: KafkaAccess & { partitions: number; replication: number; declared?: readonly TopicDeclaration[] },
): Promise<void> => {
  const kafka = kafkaClient({ access: options, clientId: 'create-topics' })
  // A broker that was just started answers late.
  const admin = kafka.admin({ retry: { initialRetryTime: 200, maxRetryTime: 2000, retries: 15 } })
  await admin.connect()
  try {
    await createMissing(admin, topicPlans(options.partitions, options.declared), options.replication)
  } finally {
    await admin.disconnect()
  }
}

const createMissing = async (admin: Admin, wanted: TopicPlan[], replication: number): Promise<void> => {
  const existing = new Set(await admin.listTopics())
  const present = wanted.filter(({ topic }) => existing.has(topic))
  if (present.length > 0) {
    const { topics } = await admin.fetchTopicMetadata({ topics: present.map(({ topic }) => topic) })
    for (const { name, partitions } of topics) {
      const plan = present.find(({ topic }) => topic === name)!
      if (partitions.length === plan.numPartitions) continue
      throw new Error(
        `topic ${name} has ${partitions.length} partitions, declared are ${plan.numPartitions}: ` +
          'keys would move between partitions; drain its consumers and recreate it, or declare what it has',
      )
    }
  }
  const missing = wanted.filter(({ topic }) => !existing.has(topic))
  if (missing.length === 0) return
  await admin.createTopics({
    waitForLeaders: false,
    topics: missing.map((plan) => ({
      ...plan,
      replicationFactor: replication,
      configEntries: [
        ...plan.configEntries,
        ...everyTopic,
        { name: 'min.insync.replicas', value: String(Math.max(1, replication - 1)) },
      ],
    })),
  })
  await leadersOf(
    admin,
    missing.map(({ topic }) => topic),
  )
}

/** Milliseconds for which new topics are waited for, and between looks. */
const leaderTimeout = 30_000
const leaderPause = 50

/**
 * Waits until every partition has a leader that knows it is one, and says how far it goes: a busy broker may take seconds
 * from the one to the other. The client's own way of waiting (`waitForLeaders`, kafkajs 2.2.4) fails when the broker that
 * it asks has not heard of the topic yet.
 */
const leadersOf = async (admin: Admin, topics: string[]): Promise<void> => {
  const deadline = performance.now() + leaderTimeout
  for (;;) {
    try {
      const found = await admin.fetchTopicMetadata({ topics })
      if (found.topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0))) {
        for (const topic of topics) await admin.fetchTopicOffsets(topic)
        return
      }
    } catch (error) {
      if (performance.now() > deadline || !isWorthWaiting(error)) throw error
    }
    if (performance.now() > deadline) throw new Error(`no leaders for ${topics.join(', ')}`)
    await pause(leaderPause)
  }
}
