import { type Bus, type OutgoingRecord, openBus, type ReceivedRecord } from '@parley/bus'
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

/**
 * Publishes the last records of a topic once more, in their order, after so many milliseconds in which others have followed
 * them: as a relay does that was suspended and wakes up late. What was published past a relay has no number, and is left out.
 */
export const repeatRecords = (brokers: readonly string[], topic: string, later: number): Promise<void> =>
  withBus(brokers, async (bus) => {
    const records = (await lastOf(bus, topic, most)).filter(({ seq }) => seq !== undefined)
    await rest(later)
    const producer = bus.orderedProducer()
    try {
      if (records.length > 0) await producer.send([{ topic, records: records.map(copyOf) }])
    } finally {
      await producer.close()
    }
  })

/** Everything that consumers could not process and set aside. */
export const deadLetters = (brokers: readonly string[]): Promise<DeadLetter[]> =>
  withBus(brokers, async (bus) =>
    (await lastOf(bus, 'dead-letters', Number.POSITIVE_INFINITY)).map(({ value }) => JSON.parse(value!)),
  )
