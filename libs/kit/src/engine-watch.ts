import { type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { attributes } from '@parley/contracts/telemetry-names'
import { Gauge } from 'prom-client'

/** Told of each question to an engine when it is asked; what it returns is told of the end, with what went wrong. */
export type EngineWatch = (what: () => string) => (error?: unknown) => void

const engines = {
  postgresql: { [attributes.dbSystem]: 'postgresql' },
  redis: { [attributes.dbSystem]: 'redis' },
  'object store': {},
} as const
type EngineName = keyof typeof engines

const underWay = new Gauge({
  name: 'parley_engine_requests_under_way',
  help: 'Questions to an engine without an answer yet; beyond the size of the pool, they wait for a connection.',
  labelNames: ['engine'],
})
const poolSize = new Gauge({
  name: 'parley_engine_pool_size',
  help: 'Most connections of this process to an engine.',
  labelNames: ['engine'],
})

const tracer = trace.getTracer('parley.engines')

const end = (span: Span, error: unknown): void => {
  if (error !== undefined) {
    // Its name only: messages of engines quote what was stored.
    span.setAttribute(attributes.errorType, error instanceof Error ? error.name : 'error')
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}

/**
 * Counts what is asked of an engine, and makes spans of it where the running code is traced. `connections`: how many can
 * be asked at a time; left out when one connection takes all.
 */
export const engineWatch = (engine: EngineName, connections?: number): EngineWatch => {
  const label = { engine }
  const waiting = underWay.labels(label)
  if (connections !== undefined) poolSize.set(label, connections)
  const operation = engine === 'object store' ? attributes.storeOperation : attributes.dbOperation
  const done = (): void => waiting.dec()
  return (what) => {
    waiting.inc()
    if (trace.getActiveSpan()?.isRecording() !== true) return done
    const name = what()
    const span = tracer.startSpan(name, {
      kind: SpanKind.CLIENT,
      attributes: { ...engines[engine], [operation]: name.split(' ', 1)[0]! },
    })
    return (error) => {
      waiting.dec()
      end(span, error)
    }
  }
}
