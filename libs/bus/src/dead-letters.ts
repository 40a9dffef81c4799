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

/** Prometheus sees no increase in what was not there before: the first letter has to be one. */
export const countFromZero = (consumer: string, topics: readonly string[]): void => {
  for (const topic of topics) counter.inc({ consumer, topic }, 0)
}

/** Bytes of a letter that fits into a record (topics.ts), and the characters of its value that are kept of a larger one. */
const letterLimit = 7 * 1024 * 1024
const keptCharacters = 64 * 1024

/** A record set aside, with what is needed to understand it and to process it later. */
export interface DeadLetter {
  readonly consumer: string
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  /** Cut, when a letter cannot hold it; the reason says so then, and it cannot be replayed. */
  readonly value: string | null
  readonly isCut?: true
  readonly headers: Record<string, string>
  readonly reason: string
  readonly attempts: number
  /** ISO 8601. */
  readonly at: string
}

/**
 * Sets a record aside, so that the partition can go on. At least once: whoever is killed before it stored its position
 * sets it aside again.
 */
export const setAside = async (
  bus: Bus,
  consumer: string,
  record: ReceivedRecord,
  error: unknown,
  attempts: number,
): Promise<void> => {
  const { topic, partition, offset, key, value, headers } = record
  const letter: DeadLetter = {
    consumer,
    topic,
    partition,
    offset,
    key,
    value,
    headers,
    reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    attempts,
    at: new Date().toISOString(),
  }
  await bus.publish(deadLettersTopic, { key: consumer, value: textOf(letter), partition: 0 })
  counter.inc({ consumer, topic })
  bus.log.error({ err: error, consumer, topic, offset }, 'record set aside')
}

const textOf = (letter: DeadLetter): string => {
  const text = JSON.stringify(letter)
  if (letter.value === null || Buffer.byteLength(text) <= letterLimit) return text
  const { length } = letter.value
  const reason = `${letter.reason} (of the value's ${length} characters the first ${keptCharacters} are kept)`
  return JSON.stringify({ ...letter, reason, isCut: true, value: letter.value.slice(0, keptCharacters) })
}
