import { context, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api'
import { NodeTracerProvider, SamplingDecision } from '@opentelemetry/sdk-trace-node'
import { attributes } from '@parley/contracts/telemetry-names'
import { expect, it } from 'vitest'
import { requestSampler, traceOfLogLine } from './telemetry.ts'

it('a share of requests is traced, and no poll', () => {
  const decide = (ratio: number, traceId: string, of: Record<string, boolean>) =>
    requestSampler(ratio).shouldSample(ROOT_CONTEXT, traceId, 'x', SpanKind.SERVER, of, []).decision
  const trace = '0af7651916cd43dd8448eb211c80319c'
  expect(decide(1, trace, {})).toBe(SamplingDecision.RECORD_AND_SAMPLED)
  expect(decide(0, trace, {})).toBe(SamplingDecision.NOT_RECORD)
  expect(decide(1, trace, { [attributes.isPoll]: true })).toBe(SamplingDecision.NOT_RECORD)
})

it('a log line names the trace that it belongs to', async () => {
  expect(traceOfLogLine()).toEqual({})
  const provider = new NodeTracerProvider()
  provider.register()
  const spanContext = {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    traceFlags: TraceFlags.SAMPLED,
  }
  await context.with(trace.setSpanContext(ROOT_CONTEXT, spanContext), async () => {
    await Promise.resolve()
    expect(traceOfLogLine()).toEqual({ trace_id: spanContext.traceId, span_id: spanContext.spanId })
  })
  await provider.shutdown()
})
