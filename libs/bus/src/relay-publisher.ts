import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailableError } from '@parley/contracts'
import { Counter, Histogram } from 'prom-client'
import type { AdvanceNotices, NumberedEvent } from './advance-notices.ts'
import type { Bus } from './bus.ts'
import { clientEventsTopic } from './client-events.ts'
import { setAside } from './dead-letters.ts'
import { isTooLarge } from './kafka-errors.ts'
import type { OrderedProducer, OutgoingRecord, TopicRecords } from './ordered-producer.ts'
import type { NumberedRow } from './relay-ledger.ts'
import { type Announced, announced, type RecordMaking } from './relay-records.ts'
import { inBatchSpan } from './trace.ts'

const published = new Counter({ name: 'parley_outbox_published_total', help: 'Announcements published.' })
const publishedAge = new Histogram({
  name: 'parley_outbox_age_seconds',
  help: 'Time between an announcement being written and being published.',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30, 300],
})

/** Characters of records that go into one request: an announcement to a large audience is much more than its row. */
const charactersPerRequest = 2 * 1024 * 1024
/** How often an announcement of which no records can be made is tried. */
const maxAttempts = 5

/** Announcements on their way, and the records that they became. */
interface Request {
  readonly rows: NumberedRow[]
  readonly announcements: Announced[]
  characters: number
}

/** Brings announcements to Kafka, in order. */
export interface RelayPublisher {
  /**
   * Resolves when Kafka has the records of all rows for good, in the rows' order. Throws when it does not, or when
   * records cannot be made now; to be called again with the same rows then.
   */
  publish(rows: readonly NumberedRow[]): Promise<void>
}

export const relayPublisher = (
  bus: Bus,
  producer: OrderedProducer,
  making: RecordMaking,
  notices: AdvanceNotices | undefined,
): RelayPublisher => {
  /** Nobody else's announcements wait for one that can never be published: it is kept with the reason. */
  const giveUp = (row: NumberedRow, error: unknown, attempts: number): Promise<void> => {
    notices?.givenUp()
    const { topic, id: offset, key, value, seq } = row
    const place = { topic, partition: -1, offset, key, value, source: bus.service, seq }
    const headers = { source: bus.service, seq: String(seq) }
    return setAside(
      bus,
      `${bus.service}.relay`,
      { ...place, headers, traceparent: row.traceparent ?? undefined },
      error,
      attempts,
    )
  }

  const recordsOf = async (row: NumberedRow): Promise<Announced | undefined> => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await announced(row, making)
      } catch (error) {
        if (error instanceof EngineUnavailableError) throw error
        if (attempts === maxAttempts) {
          await giveUp(row, error, attempts)
          return undefined
        }
        await pause(20 * 2 ** attempts)
      }
    }
  }

  const send = async ({ rows, announcements }: Request): Promise<void> => {
    const topics = byTopic(rows, announcements)
    const events = notices === undefined ? [] : eventsAmong(rows, announcements)
    try {
      notices?.tell(events)
      if (topics.length > 0) await producer.send(topics)
      notices?.published(events)
    } catch (error) {
      if (!isTooLarge(error)) throw error
      if (rows.length === 1) return giveUp(rows[0]!, error, 1)
      const middle = Math.ceil(rows.length / 2)
      for (const part of [
        [0, middle],
        [middle, rows.length],
      ] as const) {
        await send({ rows: rows.slice(...part), announcements: announcements.slice(...part), characters: 0 })
      }
    }
  }

  const finish = async (request: Request): Promise<void> => {
    try {
      await inBatchSpan(
        'send batch',
        request.announcements.map(({ traceparent }) => traceparent),
        () => send(request),
      )
    } finally {
      for (const { span } of request.announcements) span?.end()
    }
    const now = Date.now()
    for (const row of request.rows) publishedAge.observe(Math.max(0, now - row.at) / 1000)
    published.inc(request.rows.length)
  }

  return {
    async publish(rows: readonly NumberedRow[]): Promise<void> {
      let request: Request = { rows: [], announcements: [], characters: 0 }
      for (const row of rows) {
        const announcement = await recordsOf(row)
        if (announcement === undefined) continue
        request.rows.push(row)
        request.announcements.push(announcement)
        request.characters += sizeOf(announcement.records)
        if (request.characters < charactersPerRequest) continue
        await finish(request)
        request = { rows: [], announcements: [], characters: 0 }
      }
      if (request.rows.length > 0) await finish(request)
    },
  }
}

const sizeOf = (records: readonly OutgoingRecord[]): number => {
  let characters = 0
  for (const { key, value } of records) characters += key.length + (value?.length ?? 0) + 64
  return characters
}

const eventsAmong = (rows: readonly NumberedRow[], announcements: readonly Announced[]): NumberedEvent[] =>
  rows.flatMap(({ topic, seq }, index) =>
    topic === clientEventsTopic ? [[seq, announcements[index]!.records] as const] : [],
  )

const byTopic = (rows: readonly NumberedRow[], announcements: readonly Announced[]): TopicRecords[] => {
  const topics = new Map<string, OutgoingRecord[]>()
  for (const [index, { records }] of announcements.entries()) {
    if (records.length === 0) continue
    const { topic } = rows[index]!
    const known = topics.get(topic)
    if (known === undefined) topics.set(topic, [...records])
    else known.push(...records)
  }
  return [...topics].map(([topic, records]) => ({ topic, records }))
}
