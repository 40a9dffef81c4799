import { isRepeated, type ReceivedRecord, type SeenSequences } from '@parley/bus'
import { storedText } from '../polls/stored-event.ts'
import {
  kindHeader,
  type OwnRecordKind,
  ownerToken,
  QueueOpened,
  QueueSettled,
  Released,
} from '../queues/queue-records.ts'
import type { Append } from '../store/shard-store.ts'
import { Deliveries } from './append-plan.ts'
import { IncomingEvent } from './incoming-event.ts'
import { isContained, knownFilters, type QueueIndex } from './queue-index.ts'
import type { RecordSpans } from './record-spans.ts'
import { releaseKey, servedSince } from './release.ts'

export interface BatchPlan {
  readonly append: Append
  /** Sequence numbers after the batch. */
  readonly sequences: SeenSequences
  readonly repeated: number
  readonly malformed: readonly { record: ReceivedRecord; error: unknown }[]
  /** When the last event was announced; undefined when there is none. */
  readonly lastAt: number | undefined
}

interface Draft {
  readonly index: QueueIndex
  readonly spans: RecordSpans
  readonly deliveries: Deliveries
  readonly texts: [number, string][]
  readonly opened: Append['opened'][number][]
  readonly settled: Append['settled'][number][]
}

const openQueue = (draft: Draft, record: ReceivedRecord): void => {
  const opened = QueueOpened.parse(JSON.parse(record.value!))
  const entry = { opened, known: {} }
  draft.index.add(record.offset, entry, opened.settled ? undefined : [])
  draft.opened.push({ number: record.offset, entry, token: ownerToken(opened) })
}

const settleQueue = (draft: Draft, record: ReceivedRecord): void => {
  const { queue: number, known } = QueueSettled.parse(JSON.parse(record.value!))
  const queue = draft.index.get(number)
  if (queue?.unsettled === undefined) return
  const filters = knownFilters(known)
  const contained = queue.unsettled.filter((event) => isContained(filters, event)).map(({ offset }) => offset)
  queue.known = filters
  queue.unsettled = undefined
  queue.entry = { opened: { ...queue.entry.opened, settled: true }, known }
  draft.settled.push({ number, entry: queue.entry, contained })
}

/**
 * Tells everybody of a release that the shard was not served by until now. Of the first that is known, nobody: queues begin
 * with it.
 *
 * @returns whether it is the one before, repeated.
 */
const takeRelease = (draft: Draft, record: ReceivedRecord, sequences: SeenSequences): boolean => {
  const { name, since, event } = Released.parse(JSON.parse(record.value!))
  const served = servedSince(sequences)
  if (since <= served) return true
  sequences[releaseKey(name)] = since
  if (served === 0) return false
  const told = { source: 'event-queue', xid: 0, type: 'restart' }
  let isWanted = false
  for (const queue of draft.index.all()) {
    if (queue.types !== null && !queue.types.has(told.type)) continue
    queue.unsettled?.push({ offset: record.offset, ...told })
    draft.deliveries.add(queue.number, record.offset)
    isWanted = true
  }
  if (isWanted) draft.texts.push([record.offset, storedText({ ...told, at: since * 1000 }, event)])
  return false
}

/** Hands an event to its queues, and answers when it was announced. */
const deliver = (draft: Draft, record: ReceivedRecord): number => {
  const event = new IncomingEvent(record.offset, record.value ?? '', draft.spans.traceparentOf(record))
  const recipients = draft.index.recipients(event)
  for (const queue of recipients) {
    queue.unsettled?.push({ offset: event.offset, ...event.identity })
    draft.deliveries.add(queue.number, event.offset)
  }
  if (recipients.length > 0) draft.texts.push([event.offset, event.stored()])
  return event.envelope.at
}

/**
 * Works out what a batch of the log does to a shard. The index is changed on the way: it is right once the append is
 * done, and to be loaded anew when the append is refused.
 */
export const planBatch = (
  index: QueueIndex,
  seen: SeenSequences,
  records: readonly ReceivedRecord[],
  spans: RecordSpans,
): BatchPlan => {
  const draft: Draft = { index, spans, deliveries: new Deliveries(), texts: [], opened: [], settled: [] }
  const sequences = { ...seen }
  const malformed: { record: ReceivedRecord; error: unknown }[] = []
  let repeated = 0
  let lastAt: number | undefined
  for (const record of records) {
    try {
      switch (record.headers[kindHeader] as OwnRecordKind | undefined) {
        case 'tick':
          break
        case 'queue-opened':
          openQueue(draft, record)
          break
        case 'queue-settled':
          settleQueue(draft, record)
          break
        case 'released':
          if (takeRelease(draft, record, sequences)) repeated += 1
          break
        default:
          if (isRepeated(sequences, sequencedHeaders(record))) repeated += 1
          else lastAt = deliver(draft, record)
      }
    } catch (error) {
      malformed.push({ record, error })
    }
  }
  return {
    append: {
      from: records[0]!.offset,
      to: records.at(-1)!.offset + 1,
      deliveries: draft.deliveries.grouped(),
      texts: draft.texts,
      opened: draft.opened,
      settled: draft.settled,
      sequences: changedOf(seen, sequences),
    },
    sequences,
    repeated,
    malformed,
    lastAt,
  }
}

const sequencedHeaders = ({ source, seq }: ReceivedRecord) => ({
  ...(source === undefined ? {} : { source }),
  ...(seq === undefined ? {} : { seq }),
})

const changedOf = (before: SeenSequences, after: SeenSequences): SeenSequences =>
  Object.fromEntries(Object.entries(after).filter(([source, seq]) => before[source] !== seq))
