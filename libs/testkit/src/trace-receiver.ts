import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedSpan {
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  /** SpanKind of OpenTelemetry's wire format: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly attributes: Record<string, unknown>
  readonly links: readonly string[]
}

interface OtlpValue {
  stringValue?: string
  intValue?: number | string
  boolValue?: boolean
}

const plainValue = (value: OtlpValue): unknown => value.stringValue ?? value.intValue ?? value.boolValue

const plainAttributes = (list: { key: string; value: OtlpValue }[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, plainValue(value)]))

/** Spans kept at most; the oldest go first. */
const maxSpans = 200_000

/**
 * A collector for tests: takes OTLP over HTTP (JSON), as a real one would, and keeps the spans. `GET /spans/<trace id>`
 * answers with those of one trace, for tests in other processes.
 */
export const startTraceReceiver = async (
  port = 0,
): Promise<{ url: string; spans: ReceivedSpan[]; stop(): Promise<void> }> => {
  const spans: ReceivedSpan[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const traceId = request.url?.split('/').at(-1)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(spans.filter((span) => span.traceId === traceId)))
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      const service = String(plainAttributes(resource.attributes)['service.name'])
      for (const span of scopeSpans.flatMap((scope: { spans: unknown[] }) => scope.spans)) {
        spans.push({
          service,
          name: span.name,
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId || undefined,
          kind: span.kind,
          attributes: plainAttributes(span.attributes),
          links: (span.links ?? []).map((link: { traceId: string }) => link.traceId),
        })
      }
    }
    if (spans.length > maxSpans) spans.splice(0, spans.length - maxSpans)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
