/**
 * Word of a client event that is on its way to the log, for whoever owns its shard: a message that somebody sends alone
 * need not wait for Kafka to be read. A notice may be late, lost or heard twice; what it says is true all the same.
 */
import type { OutgoingRecord } from './ordered-producer.ts'

/** What the owner of one shard is told. */
export interface AdvanceNotice {
  /** The service whose relay publishes the record. */
  readonly source: string
  /**
   * Number of the last record of the same relay in this shard. Between that one and the record of this notice the log will
   * never hold another of that source: numbers are fixed in the database before anything is published, in their order.
   */
  readonly after: number
  /** W3C trace context of the change. */
  readonly traceparent: string | undefined
  /** As the record's. */
  readonly value: string
}

/** Where Redis carries notices. */
export const noticeChannel = 'client-events.notices'

/** Tells whoever listens, if anybody does; returns at once. */
export type Tell = (text: string) => void

/** Characters of all records of an event that is told in advance: what is for many takes the log, which is made for it. */
const mostCharacters = 32 * 1024

/** The first line of a notice; the event follows. */
interface Head {
  readonly source: string
  readonly traceparent?: string | undefined
  readonly shards: readonly (readonly [shard: number, after: number, envelope: string])[]
}

/** What each shard is told by a notice. Throws on what no relay wrote. */
export const readNotice = (text: string): (readonly [shard: number, notice: AdvanceNotice])[] => {
  const end = text.indexOf('\n')
  const { source, traceparent, shards } = JSON.parse(text.slice(0, end)) as Head
  const event = text.slice(end)
  return shards.map(([shard, after, envelope]) => [
    shard,
    { source, after, traceparent, value: envelope + event },
  ])
}

/** Client events of one request to Kafka: the number of each, and its records. */
export type NumberedEvent = readonly [seq: number, records: readonly OutgoingRecord[]]

/** A relay's notices, while it is the active one: a successor begins with notices of its own. */
export interface AdvanceNotices {
  /** Tells of an event that goes to Kafka by itself; of others nothing. Their numbers are in the account. */
  tell(events: readonly NumberedEvent[]): void
  /** Kafka has these. */
  published(events: readonly NumberedEvent[]): void
  /**
   * An announcement was given up, of which nobody knows whose it was. Whoever repeats its batch may find that it can be
   * published after all: until something with a higher number is in a shard, what comes next there is not certain.
   */
  givenUp(): void
}

export const advanceNotices = (source: string, tell: Tell): AdvanceNotices => {
  /** The last number in each shard, as far as this relay has published there. */
  const last = new Map<number, number>()
  return {
    tell(events) {
      const [event] = events
      if (event === undefined || events.length > 1) return
      const [seq, records] = event
      const shards: Head['shards'][number][] = []
      let characters = 0
      let text = ''
      for (const { partition: shard = -1, value } of records) {
        const after = last.get(shard)
        const end = value?.indexOf('\n') ?? -1
        // What Kafka has already is repeated because something else of its batch failed: it is not the next of anything.
        if (after === undefined || after >= seq || value === null || end < 0) continue
        shards.push([shard, after, value.slice(0, end)])
        characters += value.length
        text = value.slice(end)
      }
      if (shards.length === 0 || characters > mostCharacters) return
      const head: Head = { source, traceparent: records[0]!.headers?.traceparent, shards }
      tell(JSON.stringify(head) + text)
    },
    published(events) {
      for (const [seq, records] of events) {
        for (const { partition } of records) if (partition !== undefined) last.set(partition, seq)
      }
    },
    givenUp: () => last.clear(),
  }
}
