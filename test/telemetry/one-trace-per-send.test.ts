import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EventReader, eventually, type ReceivedSpan, succeeded, type TestUser, World } from '@parley/testkit'
import { expect, it } from 'vitest'

const spansOf = async (traceId: string): Promise<ReceivedSpan[]> => {
  const answer = await fetch(`${process.env.PARLEY_TRACES}/spans/${traceId}`)
  return (await answer.json()) as ReceivedSpan[]
}

type Way = readonly (readonly [service: string, span: RegExp])[]

/** Every step from a client's send to the other client's answer, as service and span, each below the one before. */
const toOtherClient: Way = [
  ['gateway', /sendMessage/],
  ['channels', /sendMessage/],
  ['channels', /publish client-events/],
  ['event-queue', /process client-events/],
  ['event-queue', /answer poll/],
]

/** The same to a bot's server. */
const toReceiver: Way = [
  ['gateway', /sendMessage/],
  ['channels', /sendMessage/],
  ['channels', /publish channels\.messages/],
  ['webhook-dispatcher', /call webhook/],
]

/** Sends a direct message as the root of a trace, and waits until the trace shows the whole way. */
const expectWay = async (sender: TestUser, to: number, way: Way): Promise<void> => {
  const traceId = randomBytes(16).toString('hex')
  const clientSpan = randomBytes(8).toString('hex')
  const message = { type: 'direct', to: [to], content: 'traced' }
  await succeeded(sender.post('/messages', message, { traceparent: `00-${traceId}-${clientSpan}-01` }))

  await eventually(async () => {
    const spans = await spansOf(traceId)
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const wayTo = (span: ReceivedSpan | undefined): ReceivedSpan[] =>
      span === undefined ? [] : [...wayTo(byId.get(span.parentSpanId ?? '')), span]
    const ways = spans.filter(({ name }) => way.at(-1)![1].test(name)).map(wayTo)
    const complete = ways.find((steps) => {
      const rest = way.filter(
        ([service, name], place) =>
          steps.findIndex((step) => step.service === service && name.test(step.name)) < place,
      )
      return rest.length === 0 && steps[0]?.parentSpanId === clientSpan
    })
    expect(
      complete,
      JSON.stringify(ways.map((steps) => steps.map((s) => `${s.service} ${s.name}`))),
    ).toBeDefined()
  })
}

it("shows one trace from a client's send to the other client's answer", async () => {
  const world = await World.create()
  const [anna, ben] = [await world.user(), await world.user()]
  const reader = await EventReader.register(ben, { event_types: ['message'] })
  const waiting = reader.waitFor((event) => event.type === 'message')
  await expectWay(anna, ben.id, toOtherClient)
  await waiting
})

it("shows one trace from a client's send to the call of a bot's server", async () => {
  const server = createServer((_, response) => void response.end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const payload_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const anna = await (await World.create()).user()
  const bot = await succeeded(
    anna.post('/bots', { full_name: 'Traced', short_name: 'traced', bot_type: 3, payload_url }),
  )
  await expectWay(anna, bot.user_id, toReceiver)
  server.closeAllConnections()
  server.close()
})
