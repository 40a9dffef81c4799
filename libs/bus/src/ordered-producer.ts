import { type Kafka, Partitioners, type Producer } from 'kafkajs'
import { answered } from './kafka-client.ts'

/** A record to publish; without a partition its key decides. A null value is a tombstone. */
export interface OutgoingRecord {
  readonly key: string
  readonly value: string | null
  readonly partition?: number
  readonly headers?: Record<string, string>
}

export interface TopicRecords {
  readonly topic: string
  readonly records: readonly OutgoingRecord[]
}

/** Where the first of the records that one `send` put into a partition stands. */
export interface FirstPlace {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** A producer of which only one `send` may be under way: what is handed to it in order stays in order. */
export interface OrderedProducer {
  /**
   * Resolves when every in-sync replica has the records; those of one partition stand one after the other.
   * @throws EngineUnavailableError when Kafka does not take them in time; they may have been written all the same.
   */
  send(topics: readonly TopicRecords[]): Promise<FirstPlace[]>
  close(): Promise<void>
}

/** Milliseconds for connecting and sending together, after which a send has failed. */
const sendTimeout = 8000

/**
 * Idempotent, so that what the client repeats within one `send` is written once. After any failure the producer is
 * thrown away: kafkajs takes its sequence numbers back, and a broker that had written the lost request would take the
 * next, different one for its repetition and drop it.
 */
export const orderedProducer = (kafka: Kafka): OrderedProducer => {
  let open: Promise<Producer> | undefined
  const connected = async (): Promise<Producer> => {
    const producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      idempotent: true,
      maxInFlightRequests: 1,
      // The least that the client allows: who sends decides whether and what to send again.
      retry: { retries: 1, initialRetryTime: 50 },
    })
    await producer.connect()
    return producer
  }
  const discard = (): void => {
    const broken = open
    open = undefined
    broken?.then((producer) => producer.disconnect()).catch(() => {})
  }
  return {
    async send(topics) {
      try {
        open ??= connected()
        const sent = open.then((producer) =>
          producer.sendBatch({
            acks: -1,
            topicMessages: topics.map(({ topic, records }) => ({ topic, messages: [...records] })),
          }),
        )
        const places = await answered(sendTimeout, sent)
        return places.map(({ topicName, partition, baseOffset }) => ({
          topic: topicName,
          partition,
          offset: Number(baseOffset),
        }))
      } catch (error) {
        discard()
        throw error
      }
    },
    close: async () => {
      const producer = await open?.catch(() => undefined)
      open = undefined
      await producer?.disconnect()
    },
  }
}
