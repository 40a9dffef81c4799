import { randomUUID } from 'node:crypto'
import type { TopicDeclaration } from '@parley/contracts'
import type { Slot } from './assignment.ts'
import type { Bus } from './bus.ts'
import type { RunningConsumer } from './consume-into-database.ts'
import { startMember } from './group-member.ts'
import type { FetchedBatch } from './membership.ts'
import type { ReceivedRecord } from './received-record.ts'
import { isRepeated, type SeenSequences } from './sequence.ts'

export interface EverywhereConsumer extends RunningConsumer {
  /** Resolves once everything that stood in the topic at the start has been handled. */
  readonly caughtUp: Promise<void>
  /** Milliseconds since Kafka last answered this consumer; large when it may be missing news. */
  silence(): number
}

/** Milliseconds that a fetch of an idle consumer waits in the broker, at most (quiet-client.ts). */
const maxWait = 1500
/** Fetches without a record, one after the other, after which nothing is left to read. */
const emptyFetches = 3

/**
 * Lets every process see every record of a topic: for what is kept in memory. `from` `beginning` replays a compacted
 * topic, `now` sees only what comes after the call. Each record is handed over once and in order as long as the process
 * lives, whatever happens to its connection; nothing is stored, so the next process begins again.
 * A record that does not fit the topic's schema, or makes `handle` throw, is logged and passed over.
 */
export const consumeEverywhere = async <V>(options: {
  bus: Bus
  name: string
  topic: TopicDeclaration<V>
  from: 'beginning' | 'now'
  handle: (key: string, value: V | null) => void | Promise<void>
}): Promise<EverywhereConsumer> => {
  const { bus, name, topic, from, handle } = options
  const group = `${name}.everywhere.${randomUUID()}`
  const ranges = await bus.ranges(topic.name)
  const positions = new Map(
    ranges.map(({ partition, start, end }) => [partition, from === 'now' ? end : start]),
  )
  const seen = new Map<number, SeenSequences>()
  const progress = catchingUp(from === 'now' ? [] : ranges.filter(({ start, end }) => end > start))
  let slots: readonly Slot[] = []
  let lastAnswer = Date.now()

  const apply = async (record: ReceivedRecord): Promise<void> => {
    try {
      const value = record.value === null ? null : topic.value.parse(JSON.parse(record.value))
      await handle(record.key ?? '', value)
    } catch (error) {
      const { partition, offset } = record
      bus.log.error({ err: error, topic: topic.name, partition, offset }, 'record passed over')
    }
  }

  const take = async ({ partition, records, nextOffset, isOurs }: FetchedBatch): Promise<void> => {
    const sequences = seen.get(partition) ?? {}
    seen.set(partition, sequences)
    for (const record of records) {
      if (!isOurs()) return
      // A relay that came back late may repeat an old state.
      if (!isRepeated(sequences, record)) await apply(record)
      positions.set(partition, record.offset + 1)
    }
    positions.set(partition, nextOffset)
    progress.reached(partition, nextOffset)
  }

  const member = await startMember({
    bus,
    group,
    label: `${name}.everywhere`,
    topics: [topic.name],
    maxWait,
    tellsKafka: false,
    positionOf: async ({ partition }) => positions.get(partition),
    handle: take,
    onAssignment: (assigned) => {
      slots = assigned
    },
    onFetch: () => {
      lastAnswer = Date.now()
      progress.fetched(slots.length > 0 && slots.every(({ position }) => position !== undefined))
    },
  })
  return {
    caughtUp: progress.done,
    silence: () => Date.now() - lastAnswer,
    async stop() {
      await member.stop()
      await forgetGroup(bus, group).catch(() => {})
    },
  }
}

const catchingUp = (behind: readonly { partition: number; end: number }[]) => {
  const missing = new Map(behind.map(({ partition, end }) => [partition, end]))
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let empty = 0
  if (missing.size === 0) resolve()
  return {
    done,
    reached(partition: number, nextOffset: number): void {
      empty = 0
      const end = missing.get(partition)
      if (end === undefined || nextOffset < end) return
      missing.delete(partition)
      if (missing.size === 0) resolve()
    },
    /** The last offsets of a topic can be empty: compacted away, or control records. */
    fetched(isReading: boolean): void {
      empty = isReading ? empty + 1 : 0
      if (empty > emptyFetches) resolve()
    },
  }
}

const forgetGroup = async (bus: Bus, group: string): Promise<void> => {
  const admin = bus.kafka.admin({ retry: { retries: 1 } })
  await admin.connect()
  try {
    await admin.deleteGroups([group])
  } finally {
    await admin.disconnect()
  }
}
