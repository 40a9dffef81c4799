import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type StackAddress, succeeded, type TestUser, World } from '@parley/testkit'
import { quantile } from './measurements.ts'

export interface WebhookDelay {
  /** What the other half of the receivers do. */
  readonly others: 'answer' | 'hang'
  /** Milliseconds from the send of a message to the call of its bot's server, of the half that answers. */
  readonly p50: number
  readonly p99: number
}

const botsPerOwner = 20
/** Whether a bot, or what is sent to it, is of the half that may hang. */
const isOther = (place: number): boolean => place % 2 === 1
/** Seconds until compilers and connections are warm. */
const warmUpSeconds = 10
/** How often both are measured, in turn, so that what else the machine does meets both alike. */
const rounds = 3
/** Milliseconds between two measurements. */
const pauseMilliseconds = 1000
/** Milliseconds for which the last calls are waited for. */
const patience = 20_000

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** A server that tells of each call's text. While the others hang, calls of paths that begin with `/other` wait. */
const startReceiver = async (onCall: (text: string) => void) => {
  const waiting = new Set<ServerResponse>()
  let othersHang = false
  const server = createServer(async (request, response) => {
    const { data } = JSON.parse(await textOf(request))
    onCall(data)
    if (othersHang && request.url!.startsWith('/other')) waiting.add(response)
    else response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hang: () => {
      othersHang = true
    },
    /** Whoever still waits is answered, so that what comes next is not disturbed by what was. */
    answer: () => {
      othersHang = false
      for (const response of waiting) response.end()
      waiting.clear()
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Bots of several owners, every second one called at a path of the others. */
const makeBots = async (world: World, url: string, count: number): Promise<number[]> => {
  const ids: number[] = []
  let owner = await world.user()
  for (let n = 0; n < count; n += 1) {
    if (n > 0 && n % botsPerOwner === 0) owner = await world.user()
    const name = `hook${n}`
    const payload_url = `${url}/${isOther(n) ? 'other' : 'healthy'}`
    const wishes = { full_name: name, short_name: name, bot_type: 3, payload_url }
    ids.push((await succeeded(owner.post('/bots', wishes))).user_id)
  }
  return ids
}

/**
 * The same messages at the same pace, in turn while all receivers answer and while every second one hangs. What the
 * others get differs only by what those do. `seconds` are of one turn: longer than calls last, so that it has failures too.
 */
export const webhookDelays = async (
  stack: StackAddress,
  /** `receivers` is even, so that each gets the messages of one half only. */
  load: { receivers: number; perSecond: number; seconds: number },
): Promise<WebhookDelay[]> => {
  const began = new Map<string, number>()
  const delays = new Map<string, number>()
  const receiver = await startReceiver((text) => {
    const since = began.get(text)
    if (since !== undefined && !delays.has(text)) delays.set(text, performance.now() - since)
  })
  const world = await World.create(stack)
  const writer = await world.user()
  const bots = await makeBots(world, receiver.url, load.receivers)

  /** Sends at an even pace, whatever the answers do, and gives the delays of the healthy half. */
  const run = async (phase: string, seconds: number): Promise<number[]> => {
    const healthy: string[] = []
    const sends: Promise<unknown>[] = []
    const start = performance.now()
    for (let n = 0; n < load.perSecond * seconds; n += 1) {
      const wait = start + (n * 1000) / load.perSecond - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      const text = `${phase} ${n}`
      if (!isOther(n)) healthy.push(text)
      began.set(text, performance.now())
      sends.push(send(writer, bots[n % bots.length]!, text))
    }
    await Promise.all(sends)
    const deadline = Date.now() + patience
    while (healthy.some((text) => !delays.has(text))) {
      if (Date.now() > deadline) throw new Error('messages to healthy receivers did not arrive')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return healthy.map((text) => delays.get(text)!)
  }

  try {
    await run('warm-up', warmUpSeconds)
    const delaysOf = { answer: [] as number[], hang: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      for (const others of ['answer', 'hang'] as const) {
        receiver[others]()
        delaysOf[others].push(...(await run(`${others} ${round}`, load.seconds)))
        receiver.answer()
        await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds))
      }
    }
    const measured = (['answer', 'hang'] as const).map((others): WebhookDelay => {
      const sorted = delaysOf[others].sort((a, b) => a - b)
      return { others, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
    })
    return measured
  } finally {
    receiver.stop()
  }
}

const send = (writer: TestUser, to: number, content: string) =>
  succeeded(writer.post('/messages', { type: 'direct', to: [to], content }))
