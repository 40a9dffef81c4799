import { context, propagation, SpanKind, trace } from '@opentelemetry/api'
import { attributes } from '@parley/contracts/telemetry-names'
import type { StoredEvent } from './stored-event.ts'

const tracer = trace.getTracer('parley.event-queue')

/** Answers of one event that get a span; the others would only say the same. */
const spansPerEvent = 20
const spans = new WeakMap<StoredEvent, number>()

/** Ends the trace of a change where it reaches a client: one span per answered poll, from the handing over on. */
export const traceDelivery = (event: StoredEvent, queueId: string): void => {
  const made = spans.get(event) ?? 0
  if (made >= spansPerEvent) return
  spans.set(event, made + 1)
  const parent = propagation.extract(context.active(), { traceparent: event.head.traceparent })
  const span = tracer.startSpan(
    'answer poll',
    {
      kind: SpanKind.INTERNAL,
      attributes: {
        [attributes.eventType]: event.head.type,
        [attributes.eventQueue]: queueId.split(':', 2).join(':'),
      },
    },
    parent,
  )
  span.end()
}
