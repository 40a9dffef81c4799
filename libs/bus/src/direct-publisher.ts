import { isTooLarge } from './kafka-errors.ts'
import type { OrderedProducer, OutgoingRecord } from './ordered-producer.ts'

/** Where a published record stands in its partition. */
export interface RecordPlace {
  readonly partition: number
  readonly offset: number
}

export type PlacedRecord = OutgoingRecord & { readonly partition: number }

interface Waiting {
  readonly topic: string
  readonly record: PlacedRecord
  readonly resolve: (place: RecordPlace) => void
  readonly reject: (error: unknown) => void
}

/** The most that one request takes. */
const recordsPerRequest = 500

/** Publishes single records; those that come while a request is under way share the next one. */
export const directPublisher = (producer: OrderedProducer) => {
  let waiting: Waiting[] = []
  let working: Promise<void> | undefined

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      await sendGroup(producer, waiting.splice(0, recordsPerRequest))
    }
    working = undefined
  }

  return {
    publish: (topic: string, record: PlacedRecord): Promise<RecordPlace> =>
      new Promise((resolve, reject) => {
        waiting.push({ topic, record, resolve, reject })
        working ??= work()
      }),
    /** Ends after what was handed in. */
    async close(): Promise<void> {
      await working
      waiting = []
      await producer.close()
    },
  }
}

/** Settles every member of the group; never throws. */
const sendGroup = async (producer: OrderedProducer, group: readonly Waiting[]): Promise<void> => {
  const topics = [...Map.groupBy(group, ({ topic }) => topic)].map(([topic, members]) => ({
    topic,
    records: members.map(({ record }) => record),
  }))
  try {
    const places = await producer.send(topics)
    const next = new Map(places.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]))
    for (const { topic, record, resolve } of group) {
      const slot = `${topic}/${record.partition}`
      const offset = next.get(slot)!
      next.set(slot, offset + 1)
      resolve({ partition: record.partition, offset })
    }
  } catch (error) {
    if (isTooLarge(error) && group.length > 1) {
      // The fault of one of them, which must not be the others'.
      for (const member of group) await sendGroup(producer, [member])
      return
    }
    for (const { reject } of group) reject(error)
  }
}
