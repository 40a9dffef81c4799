import { randomUUID } from 'node:crypto'
import type { TopicDeclaration } from '@parley/contracts'
import type { Bus } from './bus.ts'
import type { RunningConsumer } from './consume-into-database.ts'
import { consumerSettings } from './consumer-settings.ts'
import { receivedRecord } from './received-record.ts'

export interface EverywhereConsumer extends RunningConsumer {
  /** Resolves once everything that stood in the topic at the start has been handled. */
  readonly caughtUp: Promise<void>
  /** Milliseconds since Kafka last answered this consumer; large when it may be missing news. */
  silence(): number
}

/**
 * Lets every process see every record of a topic: for what is kept in memory. `from` `beginning` replays a compacted
 * topic, `now` sees only what comes after the call. Nothing is stored: `handle` must bear repetition.
 * A record that does not fit the topic's schema is logged and passed over.
 */
export const consumeEverywhere = async <V>(options: {
  bus: Bus
  name: string
  topic: TopicDeclaration<V>
  from: 'beginning' | 'now'
  handle: (key: string, value: V | null) => void | Promise<void>
}): Promise<EverywhereConsumer> => {
  const { bus, name, topic, from, handle } = options
  const groupId = `${name}.everywhere.${randomUUID()}`
  const admin = bus.kafka.admin()
  await admin.connect()
  const ends = await admin.fetchTopicOffsets(topic.name)
  const behind = new Map<number, number>()
  for (const { partition, high, low } of ends) {
    if (from === 'beginning' && Number(high) > Number(low)) behind.set(partition, Number(high))
  }
  let caughtUp: () => void = () => {}
  const reached = new Promise<void>((resolve) => {
    caughtUp = resolve
  })
  if (behind.size === 0) caughtUp()

  const consumer = bus.kafka.consumer(consumerSettings(groupId, 250))
  let lastAnswer = Date.now()
  let placed = false
  consumer.on(consumer.events.FETCH, () => {
    lastAnswer = Date.now()
  })
  consumer.on(consumer.events.GROUP_JOIN, () => {
    if (placed) return
    placed = true
    for (const { partition, low, high } of ends) {
      consumer.seek({ topic: topic.name, partition, offset: from === 'now' ? high : low })
    }
  })
  await consumer.connect()
  await consumer.subscribe({ topic: topic.name, fromBeginning: true })
  await consumer.run({
    partitionsConsumedConcurrently: 1,
    eachBatch: async ({ batch, heartbeat }) => {
      let handled = 0
      for (const message of batch.messages) {
        const record = receivedRecord(topic.name, batch.partition, message)
        try {
          await handle(
            record.key ?? '',
            record.value === null ? null : topic.value.parse(JSON.parse(record.value)),
          )
        } catch (error) {
          bus.log.error({ err: error, topic: topic.name, offset: record.offset }, 'record passed over')
        }
        handled += 1
        if (handled % 1000 === 0) await heartbeat()
      }
      const end = behind.get(batch.partition)
      if (end === undefined || Number(batch.lastOffset()) + 1 < end) return
      behind.delete(batch.partition)
      if (behind.size === 0) caughtUp()
    },
  })
  return {
    caughtUp: reached,
    silence: () => Date.now() - lastAnswer,
    async stop() {
      await consumer.disconnect()
      await admin.deleteGroups([groupId]).catch(() => {})
      await admin.disconnect()
    },
  }
}
