import type { ServiceName } from '@parley/contracts'
import type { Admin, Kafka } from 'kafkajs'
import { directPublisher, type PlacedRecord, type RecordPlace } from './direct-publisher.ts'
import { answered, type KafkaAccess, kafkaClient } from './kafka-client.ts'
import { type OrderedProducer, orderedProducer } from './ordered-producer.ts'
import { type RelayLoans, relayLoans } from './relay-loans.ts'

export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** What a partition holds: the oldest offset, and the one that the next record will have. */
export interface PartitionRange {
  readonly partition: number
  readonly start: number
  readonly end: number
}

/** A service's connection to Kafka. What asks fails with EngineUnavailableError within seconds when Kafka is away. */
export interface Bus {
  readonly service: ServiceName
  readonly log: Log
  readonly kafka: Kafka
  /**
   * Publishes outside of any transaction and says where the record stands.
   *
   * @throws EngineUnavailableError when Kafka did not confirm the record in time; it may have been written all the same.
   */
  publish(topic: string, record: PlacedRecord): Promise<RecordPlace>
  orderedProducer(): OrderedProducer
  /** Of this process's relay. */
  readonly loans: RelayLoans
  ranges(topic: string): Promise<PartitionRange[]>
  /** How far a group has come, as far as it told Kafka. */
  committed(group: string, topic: string, partition: number): Promise<number | undefined>
  /** Resolves when Kafka answers. */
  ready(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds for a question about topics. */
const questionTimeout = 5000

/**
 * A service's way to Kafka; what is published or consumed is opened from it. Connects when it is used: Kafka need not be
 * there yet.
 */
export const openBus = (options: KafkaAccess & { service: ServiceName; log: Log }): Bus => {
  const { service, log } = options
  const kafka = kafkaClient({
    access: options,
    clientId: service,
    onError: (message, kafka) => log.warn({ kafka }, message),
  })
  const publisher = directPublisher(orderedProducer(kafka))
  const questions = administrator(kafka)
  const bus: Bus = {
    service,
    log,
    kafka,
    publish: (topic, record) => publisher.publish(topic, record),
    orderedProducer: () => orderedProducer(kafka),
    loans: relayLoans(),
    async ranges(topic) {
      const partitions = await questions.ask((admin) => admin.fetchTopicOffsets(topic))
      return partitions.map(({ partition, low, high }) => ({
        partition,
        start: Number(low),
        end: Number(high),
      }))
    },
    async committed(groupId, topic, partition) {
      const [answer] = await questions.ask((admin) => admin.fetchOffsets({ groupId, topics: [topic] }))
      const found = answer?.partitions.find((known) => known.partition === partition)
      return found === undefined || Number(found.offset) < 0 ? undefined : Number(found.offset)
    },
    ready: async () => void (await questions.ask((admin) => admin.describeCluster())),
    close: async () => void (await Promise.allSettled([publisher.close(), questions.close()])),
  }
  return bus
}

/** One connection for all questions; thrown away when one was not answered. */
const administrator = (kafka: Kafka) => {
  let open: Promise<Admin> | undefined
  const connected = async (): Promise<Admin> => {
    const admin = kafka.admin({ retry: { retries: 2, initialRetryTime: 100 } })
    await admin.connect()
    return admin
  }
  const close = async (): Promise<void> => {
    const admin = await open?.catch(() => undefined)
    open = undefined
    await admin?.disconnect()
  }
  return {
    async ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
      open ??= connected()
      const asked = open
      try {
        return await answered(questionTimeout, asked.then(question))
      } catch (error) {
        if (open === asked) void close().catch(() => {})
        throw error
      }
    },
    close,
  }
}
