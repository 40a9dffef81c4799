import { EngineUnavailableError, type ServiceName } from '@parley/contracts'
import { type Admin, Kafka, logLevel, Partitioners, type Producer } from 'kafkajs'
import { isWorthWaiting } from './kafka-errors.ts'

export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** A record to publish; without a partition its key decides. A null value is a tombstone. */
export interface OutgoingRecord {
  readonly key: string
  readonly value: string | null
  readonly partition?: number
  readonly headers?: Record<string, string>
}

/** Where a published record stands in its partition. */
export interface RecordPlace {
  readonly partition: number
  readonly offset: number
}

/** A producer that sends one request at a time, so that what is handed to it in order stays in order. */
export interface OrderedProducer {
  /**
   * Resolves when every in-sync replica has the records.
   * @throws EngineUnavailableError when Kafka does not take them in time; they may have been written all the same.
   */
  send(topics: { topic: string; records: readonly OutgoingRecord[] }[]): Promise<void>
  close(): Promise<void>
}

export interface Bus {
  readonly service: ServiceName
  readonly log: Log
  readonly kafka: Kafka
  /** Publishes outside of any transaction and says where the record stands. */
  publish(topic: string, record: OutgoingRecord & { partition: number }): Promise<RecordPlace>
  orderedProducer(): Promise<OrderedProducer>
  /** Resolves when Kafka answers. */
  ready(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds for one request; a publisher waits for at most a few of them. */
const requestTimeout = 5000

const connected = async (producer: Producer): Promise<Producer> => {
  await guard(producer.connect())
  return producer
}

const guard = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    throw isWorthWaiting(error) ? new EngineUnavailableError('kafka', { cause: error }) : error
  }
}

/** Connects a service to Kafka; what is published or consumed is opened from it. */
export const openBus = async (options: {
  brokers: string[]
  service: ServiceName
  log: Log
}): Promise<Bus> => {
  const { brokers, service, log } = options
  const kafka = new Kafka({
    clientId: service,
    brokers,
    requestTimeout,
    connectionTimeout: 3000,
    retry: { initialRetryTime: 100, maxRetryTime: 1000, retries: 6 },
    logLevel: logLevel.ERROR,
    logCreator: () => (entry) => log.warn({ kafka: entry.log }, entry.log.message),
  })
  const direct = await connected(kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner }))
  let admin: Admin | undefined
  const bus: Bus = {
    service,
    log,
    kafka,
    async publish(topic, { key, value, partition, headers }) {
      const message = { key, value, partition, ...(headers === undefined ? {} : { headers }) }
      const [place] = await guard(direct.send({ topic, messages: [message], acks: -1 }))
      return { partition, offset: Number(place!.baseOffset) }
    },
    async orderedProducer() {
      const open = () =>
        connected(
          kafka.producer({
            createPartitioner: Partitioners.DefaultPartitioner,
            idempotent: true,
            maxInFlightRequests: 1,
          }),
        )
      let producer: Producer | undefined
      return {
        async send(topics) {
          producer ??= await open()
          try {
            await producer.sendBatch({
              acks: -1,
              topicMessages: topics.map(({ topic, records }) => ({
                topic,
                messages: records.map(kafkaMessage),
              })),
            })
          } catch (error) {
            // An idempotent producer may never recover from what it met; the consumers' sequence numbers
            // make a new one that repeats the batch harmless.
            const broken = producer
            producer = undefined
            void broken.disconnect().catch(() => {})
            throw isWorthWaiting(error) ? new EngineUnavailableError('kafka', { cause: error }) : error
          }
        },
        close: async () => producer?.disconnect(),
      }
    },
    async ready() {
      if (admin === undefined) {
        const opened = kafka.admin({ retry: { retries: 0 } })
        await guard(opened.connect())
        admin = opened
      }
      await guard(admin.describeCluster())
    },
    async close() {
      await Promise.allSettled([direct.disconnect(), admin?.disconnect()])
    },
  }
  return bus
}

const kafkaMessage = ({ key, value, partition, headers }: OutgoingRecord) => ({
  key,
  value,
  ...(partition === undefined ? {} : { partition }),
  ...(headers === undefined ? {} : { headers }),
})
