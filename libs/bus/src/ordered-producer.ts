import { setTimeout as pause } from 'node:timers/promises'
import type { Kafka } from 'kafkajs'
import { answered } from './kafka-client.ts'
import { type KafkaCluster, kafkaCluster, type ProducerIdentity } from './kafka-cluster.ts'
import { partitionOfKey } from './partition-of-key.ts'
import {
  type FirstPlace,
  type PartitionBatch,
  type ProducedRecord,
  produceRequest,
} from './produce-request.ts'

/** A record to publish; without a partition its key decides. */
export interface OutgoingRecord extends ProducedRecord {
  readonly partition?: number
}

export interface TopicRecords {
  readonly topic: string
  readonly records: readonly OutgoingRecord[]
}

/** A producer of which only one `send` may be under way: what is handed to it in order stays in order. */
export interface OrderedProducer {
  /**
   * `topics`: each once. Resolves when every in-sync replica has the records; those of one partition stand one after the
   * other.
   * @returns where the first record of each partition stands.
   * @throws EngineUnavailableError when Kafka does not take them in time; they may have been written all the same.
   */
  send(topics: readonly TopicRecords[]): Promise<FirstPlace[]>
  close(): Promise<void>
}

/** Milliseconds for connecting and sending together, after which a send has failed. */
const sendTimeout = 8000
/** Milliseconds before a send is repeated, once. */
const retryPause = 50
/** How often a producer asks who it is, with longer and longer pauses: three seconds in all. */
const identifications = 6
/** Sequence numbers go round. */
const sequences = 2 ** 31

/**
 * Idempotent, so that what is repeated within one `send` is written once. After any failure of a `send` the producer is
 * thrown away: a broker that had written the lost request would take the next, different one for its repetition, and drop
 * it.
 */
export const orderedProducer = (kafka: Kafka): OrderedProducer => {
  let open: Promise<Sending> | undefined
  const discard = (): void => {
    const broken = open
    open = undefined
    broken
      ?.then((sending) => {
        sending.isOver = true
        return sending.cluster.disconnect()
      })
      .catch(() => {})
  }
  return {
    async send(topics) {
      try {
        open ??= opened(kafka)
        return await answered(
          sendTimeout,
          open.then((sending) => sendOrRepeat(sending, topics)),
        )
      } catch (error) {
        discard()
        throw error
      }
    },
    close: async () => {
      const sending = await open?.catch(() => undefined)
      open = undefined
      await sending?.cluster.disconnect()
    },
  }
}

/** A producer's life on its connections. */
interface Sending {
  readonly cluster: KafkaCluster
  readonly identity: ProducerIdentity
  /** Records put into each partition, by topic and partition, modulo 2^31. */
  readonly counts: Map<string, number[]>
  /** Thrown away: nothing is sent any more. */
  isOver: boolean
}

const opened = async (kafka: Kafka): Promise<Sending> => {
  const cluster = kafkaCluster(kafka)
  await cluster.connect()
  return { cluster, identity: await identified(cluster), counts: new Map(), isOver: false }
}

/** A broker that was started a moment ago has to load before it tells producers apart. */
const identified = async (cluster: KafkaCluster): Promise<ProducerIdentity> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await cluster.identify()
    } catch (error) {
      if (!isRetriable(error) || attempt === identifications) throw error
    }
    await pause(retryPause * 2 ** attempt)
  }
}

const sendOrRepeat = async (sending: Sending, topics: readonly TopicRecords[]): Promise<FirstPlace[]> => {
  try {
    return await sendOnce(sending, topics)
  } catch (error) {
    if (!isRetriable(error)) throw error
    await pause(retryPause)
    await sending.cluster.lookAgain(error)
    if (sending.isOver) {
      // Looking again has connected anew.
      await sending.cluster.disconnect()
      throw error
    }
    return await sendOnce(sending, topics)
  }
}

const sendOnce = async (
  { cluster, identity, counts }: Sending,
  topics: readonly TopicRecords[],
): Promise<FirstPlace[]> => {
  const requests = new Map<number, PartitionBatch[]>()
  for (const { topic, records } of topics) {
    const leaders = await cluster.leadersOf(topic)
    const counted = counts.get(topic) ?? []
    counts.set(topic, counted)
    for (const [partition, own] of byPartition(records, leaders.length)) {
      const batch = { topic, partition, sequence: counted[partition] ?? 0, records: own }
      const leader = leaders[partition] ?? -1
      const request = requests.get(leader)
      if (request === undefined) requests.set(leader, [batch])
      else request.push(batch)
    }
  }
  const answers = await Promise.all(
    [...requests].map(([leader, batches]) => cluster.ask(leader, produceRequest(identity, batches))),
  )
  for (const { topic, partition, sequence, records } of [...requests.values()].flat()) {
    counts.get(topic)![partition] = (sequence + records.length) % sequences
  }
  return answers.flat()
}

/** As the client says of its errors. */
const isRetriable = (error: unknown): boolean => (error as { retriable?: boolean }).retriable === true

const byPartition = (
  records: readonly OutgoingRecord[],
  partitions: number,
): Map<number, OutgoingRecord[]> => {
  const all = new Map<number, OutgoingRecord[]>()
  for (const record of records) {
    const partition = record.partition ?? partitionOfKey(record.key, partitions)
    const own = all.get(partition)
    if (own === undefined) all.set(partition, [record])
    else own.push(record)
  }
  return all
}
