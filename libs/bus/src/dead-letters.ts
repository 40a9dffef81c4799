import { Counter } from 'prom-client'
import type { Bus } from './bus.ts'
import type { ReceivedRecord } from './received-record.ts'

/** Records that a consumer could not process, each with its reason; kept for 30 days. */
export const deadLettersTopic = 'dead-letters'

const counter = new Counter({
  name: 'parley_dead_letters_total',
  help: 'Records set aside because a consumer could not process them.',
  labelNames: ['consumer', 'topic'],
})

/** A record set aside, with what is needed to understand it and to process it later. */
export interface DeadLetter {
  readonly consumer: string
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  readonly value: string | null
  readonly headers: Record<string, string>
  readonly reason: string
  readonly attempts: number
  /** ISO 8601. */
  readonly at: string
}

/** Sets a record aside, so that the partition can go on. */
export const setAside = async (
  bus: Bus,
  consumer: string,
  record: ReceivedRecord,
  error: unknown,
  attempts: number,
): Promise<void> => {
  const letter: DeadLetter = {
    consumer,
    topic: record.topic,
    partition: record.partition,
    offset: record.offset,
    key: record.key,
    value: record.value,
    headers: record.headers,
    reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    attempts,
    at: new Date().toISOString(),
  }
  await bus.publish(deadLettersTopic, { key: consumer, value: JSON.stringify(letter), partition: 0 })
  counter.inc({ consumer, topic: record.topic })
  bus.log.error({ err: error, consumer, topic: record.topic, offset: record.offset }, 'record set aside')
}
