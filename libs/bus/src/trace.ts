import {
  context,
  isSpanContextValid,
  propagation,
  type Span,
  type SpanContext,
  SpanKind,
  trace,
} from '@opentelemetry/api'

const tracer = trace.getTracer('parley.bus')

/** The running code's W3C trace context, for an outbox row; undefined when the request is not traced. */
export const currentTraceparent = (): string | undefined => {
  const spanContext = trace.getActiveSpan()?.spanContext()
  if (spanContext === undefined || (spanContext.traceFlags & 1) === 0) return undefined
  return textOf(spanContext)
}

const textOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

const contextOf = (traceparent: string) => propagation.extract(context.active(), { traceparent })

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
        'messaging.system': 'kafka',
        'messaging.destination.name': topic,
        'messaging.operation.type': 'send',
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
        'messaging.system': 'kafka',
        'messaging.destination.name': topic,
        'messaging.consumer.group.name': group,
        'messaging.operation.type': 'process',
      },
    },
    contextOf(traceparent),
  )
}

/** Runs `work` with a span as the parent of what it starts. */
export const withSpan = <T>(span: Span | undefined, work: () => T): T =>
  span === undefined ? work() : context.with(trace.setSpan(context.active(), span), work)
