import { isSpanContextValid, type Span } from '@opentelemetry/api'
import { clientEventsTopic, consumerSpan, inBatchSpan, type ReceivedRecord } from '@parley/bus'

/** The spans of applying a batch's traced records. */
export interface RecordSpans {
  /** The trace context that a record's event carries on to the answers it causes. */
  traceparentOf(record: ReceivedRecord): string | undefined
  /** Runs what is done for all of them at once. */
  together<T>(name: string, work: () => Promise<T>): Promise<T>
  end(): void
}

export const recordSpans = (records: readonly ReceivedRecord[]): RecordSpans => {
  const spans = new Map<number, Span>()
  for (const { offset, traceparent } of records) {
    const span = consumerSpan(clientEventsTopic, 'event-queue', traceparent)
    if (span !== undefined) spans.set(offset, span)
  }
  const traceparentOf = ({ offset, traceparent }: ReceivedRecord): string | undefined => {
    const context = spans.get(offset)?.spanContext()
    // In a process that does not trace, the event carries on what the record had.
    if (context === undefined || !isSpanContextValid(context)) return traceparent
    return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
  }
  return {
    traceparentOf,
    together: (name, work) => inBatchSpan(name, records.map(traceparentOf), work),
    end: () => {
      for (const span of spans.values()) span.end()
    },
  }
}
