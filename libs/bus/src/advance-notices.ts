/**
 * Word of a client event that is on its way to the log, for whoever owns its shard: a message that somebody sends alone
 * need not wait for Kafka to be read. A notice may be late, lost or heard twice; what it says is true all the same.
 */
import type { OutgoingRecord } from './ordered-producer.ts'

export interface AdvanceNotice {
  /** The service whose relay publishes the record, and the record's number there. */
  readonly source: string
  readonly seq: number
  /**
   * Number of the last record of the same relay in this shard. Between that one and the record of this notice the log will
   * never hold another of that source: numbers are fixed in the database before anything is published, in their order.
   */
  readonly after: number
  /** W3C trace context of the change. */
  readonly traceparent?: string
  /** As the record's. */
  readonly value: string
}

/** Where the notices of a shard are told. */
export const noticeChannel = (shard: number): string => `{s${shard}}notice`

/** Tells whoever listens, if anybody does; returns at once. */
export type Tell = (channel: string, text: string) => void

/** Characters of all records of an event that is told in advance: what is for many takes the log, which is made for it. */
const mostCharacters = 32 * 1024

const writeNotice = ({ value, ...facts }: AdvanceNotice): string => `${JSON.stringify(facts)}\n${value}`

/** Throws on what {@link writeNotice} did not write. */
export const readNotice = (text: string): AdvanceNotice => {
  const end = text.indexOf('\n')
  return { ...(JSON.parse(text.slice(0, end)) as Omit<AdvanceNotice, 'value'>), value: text.slice(end + 1) }
}

/** Client events of one request to Kafka: the number of each, and its records. */
export type NumberedEvent = readonly [seq: number, records: readonly OutgoingRecord[]]

/** A relay's notices, while it is the active one: a successor begins with notices of its own. */
export interface AdvanceNotices {
  /** Tells of an event that goes to Kafka by itself; of others nothing. Their numbers are in the account. */
  tell(events: readonly NumberedEvent[]): void
  /** Kafka has these. */
  published(events: readonly NumberedEvent[]): void
}

export const advanceNotices = (source: string, tell: Tell): AdvanceNotices => {
  /** By shard, as far as this relay has published into it. */
  const last = new Map<number, number>()
  return {
    tell(events) {
      const [event] = events
      if (event === undefined || events.length > 1) return
      const [seq, records] = event
      let characters = 0
      for (const { value } of records) characters += value?.length ?? 0
      if (characters > mostCharacters) return
      for (const { partition: shard = -1, value, headers } of records) {
        const after = last.get(shard)
        if (after === undefined || typeof value !== 'string') continue
        const { traceparent } = headers as { traceparent?: string }
        const notice = { source, seq, after, ...(traceparent === undefined ? {} : { traceparent }), value }
        tell(noticeChannel(shard), writeNotice(notice))
      }
    },
    published(events) {
      for (const [seq, records] of events) {
        for (const { partition } of records) if (partition !== undefined) last.set(partition, seq)
      }
    },
  }
}
