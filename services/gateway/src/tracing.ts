import type { IncomingMessage } from 'node:http'
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { attributes } from '@parley/contracts/telemetry-names'
import type { Route } from './routing/route-table.ts'

const tracer = trace.getTracer('parley')

/** `traceparent` of W3C Trace Context, version 00; other versions are read by their first four fields. */
const traceparentForm = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/

const remoteContext = (traceparent: string | string[] | undefined) => {
  if (typeof traceparent !== 'string') return ROOT_CONTEXT
  const match = traceparentForm.exec(traceparent)
  if (match === null || /^0+$/.test(match[1]!) || /^0+$/.test(match[2]!)) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: match[1]!,
    spanId: match[2]!,
    traceFlags: Number.parseInt(match[3]!, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  })
}

/** Opens the span of a request; it continues the trace that the client names. */
export const startRequestSpan = ({ operation, endpoint }: Route, request: IncomingMessage): Span =>
  tracer.startSpan(
    operation,
    {
      kind: SpanKind.SERVER,
      attributes: {
        [attributes.method]: endpoint.method,
        [attributes.route]: endpoint.path,
        ...(endpoint.longPoll ? { [attributes.isPoll]: true } : {}),
      },
    },
    remoteContext(request.headers.traceparent),
  )

/** How services and the client are told of the span; undefined when there is no trace at all. */
export const traceparentOf = (span: Span): string | undefined => {
  const own = span.spanContext()
  if (!isSpanContextValid(own)) return undefined
  return `00-${own.traceId}-${own.spanId}-${(own.traceFlags & 1).toString(16).padStart(2, '0')}`
}

/** Runs `work` so that what it asks of others, and what it logs, belongs to the span. */
export const insideSpan = <T>(span: Span | undefined, work: () => T): T =>
  span?.isRecording() === true ? context.with(trace.setSpan(context.active(), span), work) : work()

export const endRequestSpan = (span: Span, status: number): void => {
  if (!span.isRecording()) return
  span.setAttribute(attributes.status, status)
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
