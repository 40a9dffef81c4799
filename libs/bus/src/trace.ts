import {
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  trace,
} from '@opentelemetry/api'
import { attributes } from '@parley/contracts/telemetry-names'

const tracer = trace.getTracer('parley.bus')

/** The running code's W3C trace context, for an outbox row; undefined when the request is not traced. */
export const currentTraceparent = (): string | undefined => {
  const spanContext = trace.getActiveSpan()?.spanContext()
  if (spanContext === undefined || (spanContext.traceFlags & 1) === 0) return undefined
  return textOf(spanContext)
}

const textOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

const contextOf = (traceparent: string) => propagation.extract(ROOT_CONTEXT, { traceparent })

/** Opens the span of publishing one announcement, and gives the trace context that its record carries on. */
export const producerSpan = (
  topic: string,
  traceparent: string | null | undefined,
): { span: Span | undefined; traceparent: string | undefined } => {
  if (!traceparent) return { span: undefined, traceparent: undefined }
  const span = tracer.startSpan(
    `publish ${topic}`,
    {
      kind: SpanKind.PRODUCER,
      attributes: {
        [attributes.messagingSystem]: 'kafka',
        [attributes.destination]: topic,
        [attributes.messagingOperation]: 'send',
      },
    },
    contextOf(traceparent),
  )
  const spanContext = span.spanContext()
  // In a process that does not trace, the record carries on what the row had.
  return { span, traceparent: isSpanContextValid(spanContext) ? textOf(spanContext) : traceparent }
}

/** Opens the span of handling one record; the caller ends it. Undefined for a record that is not traced. */
export const consumerSpan = (
  topic: string,
  group: string,
  traceparent: string | undefined,
): Span | undefined => {
  if (traceparent === undefined) return undefined
  return tracer.startSpan(
    `process ${topic}`,
    {
      kind: SpanKind.CONSUMER,
      attributes: {
        [attributes.messagingSystem]: 'kafka',
        [attributes.destination]: topic,
        [attributes.consumerGroup]: group,
        [attributes.messagingOperation]: 'process',
      },
    },
    contextOf(traceparent),
  )
}

/**
 * Runs what is done for several traces at once. It is a span of the first of them, which links to all: so each of them shows
 * how many shared the work, and whose trace tells of it. What nobody watches belongs to no trace, whoever began it.
 */
export const inBatchSpan = async <T>(
  name: string,
  traceparents: readonly (string | null | undefined)[],
  work: () => Promise<T>,
): Promise<T> => {
  const contexts = traceparents.flatMap((text) => (text ? [contextOf(text)] : []))
  if (contexts.length === 0) return context.with(ROOT_CONTEXT, work)
  const links = contexts.flatMap((one) => {
    const linked = trace.getSpanContext(one)
    return linked === undefined ? [] : [{ context: linked }]
  })
  const batch = { [attributes.batchSize]: traceparents.length }
  const span = tracer.startSpan(name, { links, attributes: batch }, contexts[0]!)
  try {
    return await withSpan(span, work)
  } finally {
    span.end()
  }
}

/** Runs `work` with a span as the parent of what it starts. */
export const withSpan = <T>(span: Span | undefined, work: () => T): T =>
  span === undefined ? work() : context.with(trace.setSpan(context.active(), span), work)
