import { type Bus, type OutgoingRecord, openBus, type ReceivedRecord, readDeadLetters } from '@parley/bus'
import type { DeadLetter } from '@parley/bus/dead-letters'
import { readPartition } from '@parley/bus/read-partition'
import { rest } from '../faults/patient.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }
/** Records of each partition that are repeated. */
const most = 40

const withBus = async <T>(brokers: readonly string[], work: (bus: Bus) => Promise<T>): Promise<T> => {
  const bus = openBus({ brokers: [...brokers], service: 'identity', log: silent })
  try {
    return await work(bus)
  } finally {
    await bus.close()
  }
}

/** The last records of each partition of a topic, at most so many of each. */
const lastOf = async (bus: Bus, topic: string, count: number): Promise<ReceivedRecord[]> => {
  const admin = bus.kafka.admin({ retry: { retries: 2 } })
  const found: ReceivedRecord[] = []
  await admin.connect()
  try {
    for (const { partition, start, end } of await bus.ranges(topic)) {
      const place = { topic, partition, from: Math.max(start, end - count), to: end }
      await readPartition(bus.kafka, admin, place, (record) => found.push(record))
    }
  } finally {
    await admin.disconnect()
  }
  return found
}

const copyOf = ({ key, value, partition, headers }: ReceivedRecord): OutgoingRecord => ({
  key: key ?? '',
  value,
  partition,
  headers,
})

/** In which order records come once more. */
export type Repetition = 'as they were' | 'reversed'

/**
 * Publishes the last records of a topic once more, after so many milliseconds in which others have followed them: in their
 * order, as a relay does that was suspended and wakes up late, or the last one first, as no relay would. What was published
 * past a relay has no number, and is left out.
 */
export const repeatRecords = (
  brokers: readonly string[],
  topic: string,
  later: number,
  order: Repetition = 'as they were',
): Promise<void> =>
  withBus(brokers, async (bus) => {
    const numbered = (await lastOf(bus, topic, most)).filter(({ seq }) => seq !== undefined)
    const records = order === 'reversed' ? numbered.toReversed() : numbered
    await rest(later)
    const producer = bus.orderedProducer()
    try {
      if (records.length > 0) await producer.send([{ topic, records: records.map(copyOf) }])
    } finally {
      await producer.close()
    }
  })

/** Publishes a record that no relay wrote into the first partition of a topic. */
const publish = (brokers: readonly string[], topic: string, key: string, value: string): Promise<void> =>
  withBus(brokers, async (bus) => void (await bus.publish(topic, { key, value, partition: 0 })))

export const publishGarbage = (brokers: readonly string[], topic: string): Promise<void> =>
  publish(brokers, topic, 'nobody', 'not what a relay writes')

/** Publishes a letter as a consumer would that could not process a record. */
export const publishDeadLetter = (brokers: readonly string[], letter: DeadLetter): Promise<void> =>
  publish(brokers, 'dead-letters', letter.consumer, JSON.stringify(letter))

/** The last records of a topic. */
export const recordsOf = (brokers: readonly string[], topic: string): Promise<ReceivedRecord[]> =>
  withBus(brokers, (bus) => lastOf(bus, topic, most))

/** Everything that consumers could not process and set aside. */
export const deadLetters = (brokers: readonly string[]): Promise<DeadLetter[]> =>
  readDeadLetters({ brokers: [...brokers] })
