/** Finds every declared span, edge and metric by running what causes it. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contracts, type ServiceName, serviceNames } from '@parley/contracts'
import { EventReader, eventually, type ReceivedSpan, succeeded, type TestUser, World } from '@parley/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type DeclaredMetric,
  type Edge,
  ofDownload,
  ofEachService,
  ofLogIn,
  ofMessage,
  ofPresence,
  ofRegistration,
  ofService,
  ofUpload,
  ofWebhook,
} from './declared.ts'

const password = 'traced, not told'

interface Trace {
  readonly id: string
  readonly clientSpan: string
  readonly headers: Record<string, string>
}

/** A trace that a client begins. */
const newTrace = (): Trace => {
  const [id, clientSpan] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { id, clientSpan, headers: { traceparent: `00-${id}-${clientSpan}-01` } }
}

const spansOf = async ({ id }: Trace): Promise<ReceivedSpan[]> => {
  const answer = await fetch(`${process.env.PARLEY_TRACES}/spans/${id}`)
  return (await answer.json()) as ReceivedSpan[]
}

const labelOf = ({ service, name }: ReceivedSpan): string => `${service} ${name}`

/** Waits until the trace has every edge. */
const expectEdges = (trace: Trace, edges: readonly Edge[]): Promise<void> =>
  eventually(async () => {
    const spans = await spansOf(trace)
    const labels = new Map(spans.map((span) => [span.spanId, labelOf(span)]))
    labels.set(trace.clientSpan, 'client')
    const found = new Set(
      spans.map((span) => `${labels.get(span.parentSpanId ?? '') ?? 'nobody'} > ${labelOf(span)}`),
    )
    const missing = edges.map((edge) => edge.join(' > ')).filter((edge) => !found.has(edge))
    expect(missing, `there are: ${[...found].sort().join('; ')}`).toEqual([])
  })

const upload = async (as: TestUser, headers: Record<string, string>): Promise<string> => {
  const body = [
    '--cut',
    'content-disposition: form-data; name="file"; filename="traced.txt"',
    'content-type: text/plain',
    '',
    'traced',
    '--cut--',
    '',
  ].join('\r\n')
  const type = { 'content-type': 'multipart/form-data; boundary=cut' }
  return (await succeeded(as.send('POST', '/user_uploads', body, { ...type, ...headers }))).url
}

let world: World
let anna: TestUser
let ben: TestUser

beforeAll(async () => {
  world = await World.create()
  anna = await world.user({ password })
  ben = await world.user()
  await succeeded(
    anna.post('/users/me/subscriptions', {
      subscriptions: [{ name: 'traced' }],
      principals: [anna.id, ben.id],
    }),
  )
})

const say = (headers: Record<string, string>, content = 'traced') =>
  succeeded(anna.post('/messages', { type: 'channel', to: 'traced', topic: 'spans', content }, headers))

describe('one trace shows', () => {
  it("a message, from its sender's request to the answer of whoever waits", async () => {
    const reader = await EventReader.register(ben, { event_types: ['message'] })
    const waiting = reader.waitFor((event) => event.type === 'message')
    const trace = newTrace()
    await say(trace.headers)
    await expectEdges(trace, ofMessage)
    await waiting
  })

  it("a message, to the call of a bot's server", async () => {
    const server = createServer((_, response) => void response.end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const payload_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const bot = await succeeded(
      anna.post('/bots', { full_name: 'Traced', short_name: 'traced', bot_type: 3, payload_url }),
    )
    const trace = newTrace()
    const message = { type: 'direct', to: [bot.user_id], content: 'traced' }
    await succeeded(anna.post('/messages', message, trace.headers))
    await expectEdges(trace, ofWebhook)
    const call = (await spansOf(trace)).find(({ name }) => name === 'call webhook')
    expect(call?.attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'http.response.status_code': 200,
    })
    server.closeAllConnections()
    server.close()
    await succeeded(anna.get(`/bots/${bot.user_id}/webhook/deliveries`))
  })

  it('a file, to the object store and back', async () => {
    const [there, back] = [newTrace(), newTrace()]
    const url = await upload(anna, there.headers)
    await anna.sendRaw('GET', url, undefined, back.headers)
    await expectEdges(there, ofUpload)
    await expectEdges(back, ofDownload)
  })

  it('a registration, to each service that has a part of the state', async () => {
    const trace = newTrace()
    await succeeded(anna.post('/register', {}, trace.headers))
    await expectEdges(trace, ofRegistration)
  })

  it('a sign of presence, to Redis', async () => {
    const trace = newTrace()
    await succeeded(anna.post('/users/me/presence', { status: 'active' }, trace.headers))
    await expectEdges(trace, ofPresence)
  })

  it('a log-in, to the session in Redis', async () => {
    const trace = newTrace()
    const form = new URLSearchParams({ username: anna.email, password }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await world.stranger().sendRaw('POST', '/json/login', form, { ...type, ...trace.headers })
    expect(answer.status).toBe(200)
    await expectEdges(trace, ofLogIn)
  })
})

it('work that is done for several traces at once links to each of them', async () => {
  const traces = Array.from({ length: 30 }, newTrace)
  await Promise.all(traces.map((trace, n) => say(trace.headers, `linked ${n}`)))
  const names = ['store batch', 'send batch', 'append batch']
  await eventually(async () => {
    const spans = (await Promise.all(traces.map(spansOf))).flat()
    const ours = new Set(traces.map(({ id }) => id))
    const shared = spans.filter(({ links }) => new Set(links.filter((id) => ours.has(id))).size > 1)
    const found = new Set(shared.map(({ name }) => name))
    expect(names.filter((name) => !found.has(name))).toEqual([])
    // Each send was stored by one batch, and every one of them can be found from its trace.
    const stored = spans.filter(({ name }) => name === 'store batch').flatMap(({ links }) => links)
    expect(traces.filter(({ id }) => !stored.includes(id))).toEqual([])
  })
})

const metricsOf = async (service: ServiceName): Promise<string[]> => {
  const opsUrls = JSON.parse(process.env.PARLEY_OPS ?? '{}') as Record<ServiceName, string>
  return (await (await fetch(`${opsUrls[service]}/metrics`)).text()).split('\n')
}

const has = (lines: readonly string[], { name, labels = {} }: DeclaredMetric): boolean =>
  lines.some(
    (line) =>
      (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) &&
      Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)),
  )

describe('metrics of', () => {
  it.each(serviceNames)('%s are there after all this', async (service) => {
    await eventually(async () => {
      const lines = await metricsOf(service)
      const declared = [...ofEachService, ...ofService[service]]
      expect(declared.filter((metric) => !has(lines, metric))).toEqual([])
    })
  })

  it.each(serviceNames)('%s name operations by their contract, never by a path', async (service) => {
    const known = new Set([
      ...Object.values(contracts).flatMap(({ endpoints }) => Object.keys(endpoints)),
      ...['unrouted', 'documentation'],
    ])
    const operations = (await metricsOf(service)).flatMap(
      (line) => /operation="([^"]*)"/.exec(line)?.[1] ?? [],
    )
    expect(operations.length).toBeGreaterThan(0)
    const odd = operations.filter((name) => !known.has(name) && !/^internal [a-z-]+$/.test(name))
    expect(odd).toEqual([])
  })
})
