import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import { attributes as names } from '@parley/contracts/telemetry-names'
import type { BaseConfig } from './config.ts'

/**
 * A share of requests, but of polls none: nearly each of them ends in a heartbeat, and what another brings is told by the
 * trace of whoever caused it. A client that traces its own poll sees it all the same.
 */
export const requestSampler = (ratio: number): Sampler => {
  const share = new TraceIdRatioBasedSampler(ratio)
  return {
    shouldSample: (context, traceId, _name, _kind, attributes) =>
      attributes[names.isPoll] === true
        ? { decision: SamplingDecision.NOT_RECORD }
        : share.shouldSample(context, traceId),
    toString: () => `requests but no polls: ${share}`,
  }
}

/** Names of the trace that the running code belongs to, for its log lines. */
export const traceOfLogLine = (): Record<string, string> => {
  const span = trace.getActiveSpan()?.spanContext()
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

/**
 * Sends spans to the collector of the configuration; without one, tracing costs nothing. The first service that
 * sees a request decides whether it is traced, the others follow.
 *
 * @returns what flushes the last spans at shutdown.
 */
export const startTelemetry = (
  service: string,
  config: Pick<BaseConfig, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'TRACE_RATIO'>,
): { stop(): Promise<void> } => {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return { stop: async () => {} }
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ [names.serviceName]: service, [names.serviceNamespace]: 'parley' }),
    sampler: new ParentBasedSampler({ root: requestSampler(config.TRACE_RATIO) }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }), {
        scheduledDelayMillis: 500,
      }),
    ],
  })
  provider.register()
  return { stop: () => provider.shutdown() }
}

const tracer = trace.getTracer('parley')

/** Runs `work` inside a server span that continues the trace named by the request's headers. */
export const inServerSpan = <T>(
  operation: string,
  headers: Record<string, unknown>,
  attributes: Record<string, string | number | boolean>,
  work: (span: Span) => Promise<T>,
): Promise<T> => {
  const parent = propagation.extract(context.active(), headers)
  return tracer.startActiveSpan(operation, { kind: SpanKind.SERVER, attributes }, parent, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' })
      throw error
    } finally {
      span.end()
    }
  })
}
