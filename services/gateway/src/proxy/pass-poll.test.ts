import { once } from 'node:events'
import { connect } from 'node:net'
import { ApiError } from '@parley/contracts'
import { getEvents } from '@parley/contracts/event-queue/queues'
import { afterEach, expect, it } from 'vitest'
import { type Asked, type LinkedOutcome, linked } from '../testing/linked.ts'
import { type House, hamlet, smallHouse } from '../testing/small-house.ts'

let house: House
afterEach(() => house.close())

/** Others use the machine too. */
const patience = { timeout: 20_000 }

interface Held extends Asked {
  answer(outcome: LinkedOutcome): void
}

/** A house whose queue keeps every poll until the test answers it. */
const patientHouse = async (parts: Parameters<typeof smallHouse>[0] = {}) => {
  const held: Held[] = []
  const connections = new Set<unknown>()
  house = await smallHouse({
    ...parts,
    linked: linked(
      'getEvents',
      getEvents,
      (asked) => new Promise((answer) => held.push({ ...asked, answer })),
    ),
    queue:
      parts.queue ??
      ((request, response) => {
        connections.add(request.socket)
        response.end('{}')
      }),
  })
  return { held, connections }
}

const poll = (n: number) => house.fetch(`/api/v1/events?queue_id=0:${n}:abc&last_event_id=7`)

it('carries many polls and their answers over one connection', async () => {
  const { held, connections } = await patientHouse()
  const polls = Array.from({ length: 100 }, (_, n) => poll(n))
  await expect.poll(() => held.length, patience).toBe(100)
  for (const { sent, call, answer } of held.toReversed()) {
    expect(sent.last_event_id).toBe('7')
    expect(call.caller.user).toMatchObject({ id: 10 })
    answer(`{"result":"success","msg":"","queue_id":"${sent.queue_id}","text":"ö€😀"}`)
  }
  for (const [n, answer] of (await Promise.all(polls)).entries()) {
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(await answer.json()).toMatchObject({ queue_id: `0:${n}:abc`, text: 'ö€😀' })
  }
  expect(connections.size).toBe(0)
})

it('hands refusals over with their headers', async () => {
  const { held } = await patientHouse()
  const answer = poll(1)
  await expect.poll(() => held.length, patience).toBe(1)
  held[0]!.answer(new ApiError('SERVER_NOT_READY', 'Slowly.', {}, { 'retry-after': '7' }))
  const { status, headers } = await answer
  expect([status, headers.get('retry-after')]).toEqual([503, '7'])
})

it('asks by a request of its own for an answer that would hold up the others', async () => {
  const large = `{"events":"${'x'.repeat(1_000_000)}"}`
  const { held } = await patientHouse({ queue: (_request, response) => response.end(large) })
  const answer = poll(1)
  await expect.poll(() => held.length, patience).toBe(1)
  held[0]!.answer(large)
  expect(await (await answer).text()).toBe(large)
})

it('asks by requests where a service knows no links', async () => {
  house = await smallHouse({
    queue: (request, response) => response.end(JSON.stringify({ url: request.url })),
  })
  for (const n of [1, 2]) {
    expect(await (await poll(n)).json()).toEqual({
      url: `/api/v1/events?queue_id=0:${n}:abc&last_event_id=7`,
    })
  }
})

it('tells the service when a client is gone, and keeps the others', async () => {
  const { held } = await patientHouse()
  const socket = connect(house.port, '127.0.0.1')
  socket.write(
    `GET /api/v1/events?queue_id=1 HTTP/1.1\r\nHost: chat.test\r\nAuthorization: ${hamlet}\r\n\r\n`,
  )
  await expect.poll(() => held.length, patience).toBe(1)
  const other = poll(2)
  await expect.poll(() => held.length, patience).toBe(2)
  const gone = once(held[0]!.call.request.gone, 'abort')
  socket.destroy()
  await gone
  held[1]!.answer('{}')
  expect((await other).status).toBe(200)
})

it('lets nobody open a link but the gateway', async () => {
  await patientHouse()
  const port = Number(new URL(house.deps.upstreams.of('event-queue').next().url).port)
  const ofCaller = await house.deps.signer.sign({
    realm: { id: 1, subdomain: '', url: 'http://chat.test' },
    user: null,
    client: 'x',
  })
  for (const token of ['', 'forged', ofCaller]) {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `GET /internal/link HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: parley-link-1\r\nx-parley-caller: ${token}\r\n\r\n`,
    )
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toContain('403 Forbidden')
    socket.destroy()
  }
})

it('goes on elsewhere when its service leaves or dies', async () => {
  const { held } = await patientHouse()
  const waiting = poll(1)
  await expect.poll(() => held.length, patience).toBe(1)
  const left = house.links!.leave()
  // Whoever waits is answered still; the next one is not sent over the old link.
  await expect.poll(async () => (await poll(2)).status, patience).toBe(200)
  held[0]!.answer('{"result":"success","msg":"late"}')
  expect(await (await waiting).json()).toMatchObject({ msg: 'late' })
  await left
})
