import { randomBytes } from 'node:crypto'
import { EventReader, eventually, type ReceivedSpan, succeeded, World } from '@parley/testkit'
import { expect, it } from 'vitest'

const spansOf = async (traceId: string): Promise<ReceivedSpan[]> => {
  const answer = await fetch(`${process.env.PARLEY_TRACES}/spans/${traceId}`)
  return (await answer.json()) as ReceivedSpan[]
}

/** Every step of a message's way, as service and span, each below the one before. */
const way = [
  ['gateway', /sendMessage/],
  ['channels', /sendMessage/],
  ['channels', /publish client-events/],
  ['event-queue', /process client-events/],
  ['event-queue', /answer poll/],
] as const

it("shows one trace from a client's send to the other client's answer", async () => {
  const world = await World.create()
  const [anna, ben] = [await world.user(), await world.user()]
  const reader = await EventReader.register(ben, { event_types: ['message'] })
  const waiting = reader.waitFor((event) => event.type === 'message')
  const traceId = randomBytes(16).toString('hex')
  const clientSpan = randomBytes(8).toString('hex')
  const message = { type: 'direct', to: [ben.id], content: 'traced' }
  await succeeded(anna.post('/messages', message, { traceparent: `00-${traceId}-${clientSpan}-01` }))
  await waiting

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
})
