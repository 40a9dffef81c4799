/**
 * `npm run test:overload [-- --clients N] [--seconds N] [--only sends,herd] [--json FILE]`: what happens beyond capacity. First
 * three times as many sends as the system was seen to accept; then N clients (5,000 unless said otherwise) whose queues are
 * all lost at once. It says what was reached, and fails when goodput fell below 80 % of the peak, when refusals did not say when
 * to come back, and when the clients were not all back within a minute or were answered with 5xx.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type StackAddress, succeeded, type TestUser, World } from '@parley/testkit'
import { Redis } from 'ioredis'
import { Agent, request } from 'undici'
import { startStack } from '../../deploy/stack.ts'
import { quantile } from './measurements.ts'

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '15' },
    only: { type: 'string', default: 'sends,herd' },
    json: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const agent = new Agent({ connections: 20_000, headersTimeout: 90_000, bodyTimeout: 90_000, pipelining: 1 })
const report: Record<string, unknown> = {}
const problems: string[] = []
const expectThat = (isSo: boolean, text: string): void => {
  if (!isSo) problems.push(text)
}
const inOrder = (times: readonly number[]): number[] => times.toSorted((a, b) => a - b)

const headersOf = (user: TestUser): Record<string, string> => {
  const { email, key } = user.credentials!
  const authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`
  return { host: user.host, authorization, 'content-type': 'application/x-www-form-urlencoded' }
}

interface Outcome {
  readonly status: number
  readonly retryAfter: string | undefined
  /** Milliseconds. */
  readonly took: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  readonly body: any
}

const post = async (
  stack: StackAddress,
  headers: Record<string, string>,
  path: string,
  wish: Record<string, string>,
): Promise<Outcome> => {
  const began = performance.now()
  const {
    statusCode,
    headers: got,
    body,
  } = await request(`${stack.origin}/api/v1${path}`, {
    method: 'POST',
    dispatcher: agent,
    headers,
    body: new URLSearchParams(wish).toString(),
  })
  const parsed = await body.json()
  const retryAfter = got['retry-after'] === undefined ? undefined : String(got['retry-after'])
  return { status: statusCode, retryAfter, took: performance.now() - began, body: parsed }
}

const tooManySends = async (stack: StackAddress): Promise<void> => {
  const world = await World.create(stack)
  const people: TestUser[] = []
  while (people.length < 20) people.push(await world.user())
  for (let channel = 0; channel < 10; channel += 1) {
    await succeeded(
      people[0]!.post('/users/me/subscriptions', {
        subscriptions: [{ name: `channel ${channel}` }],
        principals: people.map(({ id }) => id),
      }),
    )
  }
  const senders = people.map(headersOf)
  let turn = 0
  const send = (): Promise<Outcome> => {
    turn += 1
    const wish = { type: 'channel', to: `channel ${turn % 10}`, topic: 'load', content: 'as people write' }
    return post(stack, senders[turn % senders.length]!, '/messages', wish)
  }
  /** As many as are accepted when each sender waits for its answer. */
  const closed = async (duration: number): Promise<number> => {
    const end = performance.now() + duration * 1000
    let accepted = 0
    const one = async (): Promise<void> => {
      while (performance.now() < end) if ((await send()).status === 200) accepted += 1
    }
    await Promise.all(Array.from({ length: 40 }, one))
    return accepted / duration
  }
  await closed(15)
  const peak = await closed(seconds)

  // As they come, whatever becomes of those before: three times as many.
  const outcomes: Outcome[] = []
  const broken: string[] = []
  const under: Promise<void>[] = []
  const began = performance.now()
  let offered = 0
  while (performance.now() < began + seconds * 1000) {
    const due = ((performance.now() - began) / 1000) * peak * 3
    for (; offered < due; offered += 1) {
      under.push(
        send().then(
          (outcome) => void outcomes.push(outcome),
          (error: unknown) => void broken.push(String(error)),
        ),
      )
    }
    await pause(2)
  }
  await Promise.all(under)
  const took = (performance.now() - began) / 1000
  const accepted = outcomes.filter(({ status }) => status === 200)
  const refused = outcomes.filter(({ status }) => status === 503 || status === 429)
  const others = outcomes.filter(({ status }) => ![200, 429, 503].includes(status))
  const goodput = accepted.length / took
  const [good, bad] = [inOrder(accepted.map((one) => one.took)), inOrder(refused.map((one) => one.took))]
  const after = await send()
  report.sends = {
    peak,
    offered: offered / seconds,
    goodput,
    share: goodput / peak,
    accepted: { count: accepted.length, p50: quantile(good, 0.5), p99: quantile(good, 0.99) },
    refused: { count: refused.length, p50: quantile(bad, 0.5), p99: quantile(bad, 0.99) },
    others: others.length,
    broken: broken.length,
    afterwards: after.took,
  }
  expectThat(goodput / peak > 0.8, `goodput fell to ${((100 * goodput) / peak).toFixed(0)} % of the peak`)
  expectThat(
    refused.every(({ retryAfter }) => Number(retryAfter) > 0),
    'refusals do not say when to come back',
  )
  expectThat(others.length === 0, `other answers: ${JSON.stringify(others.slice(0, 3))}`)
  expectThat(broken.length === 0, `broken requests: ${broken.slice(0, 3)}`)
  expectThat(after.status === 200, `afterwards a send is answered with ${after.status}`)
}

const lostQueues = async (stack: StackAddress, redisUrl: string, count: number): Promise<void> => {
  const world = await World.create(stack)
  const people: TestUser[] = []
  while (people.length < 100) people.push(await world.user())
  const members = people.map(headersOf)
  const wish = { event_types: '["message"]', fetch_event_types: '["message"]', apply_markdown: 'false' }
  let isOver = false
  let isLost = false
  const statuses = new Map<number, number>()
  const waiting = new Set<number>()
  const back = new Map<number, number>()
  let lostAt = 0

  const client = async (place: number): Promise<void> => {
    const headers = members[place % members.length]!
    while (!isOver) {
      const { status, retryAfter, body } = await post(stack, headers, '/register', wish)
      if (isLost) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status !== 200) {
        await pause(1000 * Number(retryAfter ?? 1) * (0.5 + Math.random()))
        continue
      }
      if (isLost && !back.has(place)) back.set(place, performance.now() - lostAt)
      let last = body.last_event_id
      for (;;) {
        waiting.add(place)
        const query = `queue_id=${encodeURIComponent(body.queue_id)}&last_event_id=${last}`
        const answer = await request(`${stack.origin}/api/v1/events?${query}`, { dispatcher: agent, headers })
        // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
        const { events, code } = (await answer.body.json()) as any
        if (isOver) return
        if (isLost && code !== 'BAD_EVENT_QUEUE_ID')
          statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
        if (answer.statusCode !== 200) {
          waiting.delete(place)
          if (code === 'BAD_EVENT_QUEUE_ID') break
          await pause(500)
          continue
        }
        for (const { id } of events) last = Math.max(last, id)
      }
    }
  }
  const broken: string[] = []
  for (let place = 0; place < count; place += 1) {
    client(place).catch((error: unknown) => void broken.push(String(error)))
    // People come one after the other; it is their leaving at once that is tried.
    if (place % 50 === 49) while (waiting.size < place - 100) await pause(5)
  }
  while (waiting.size < count && broken.length === 0) await pause(50)
  await pause(3000)
  const redis = new Redis(redisUrl)
  isLost = true
  lostAt = performance.now()
  await redis.flushall()
  await redis.quit()
  const deadline = performance.now() + 120_000
  while (back.size < count && performance.now() < deadline) await pause(50)
  const times = inOrder([...back.values()])
  const failures = [...statuses].filter(([status]) => status >= 500)
  report.herd = {
    clients: count,
    back: back.size,
    firstBack: times[0],
    halfBack: quantile(times, 0.5),
    allBack: times.at(-1),
    statuses: Object.fromEntries(statuses),
    broken: broken.length,
  }
  expectThat(back.size === count, `only ${back.size} of ${count} clients came back within two minutes`)
  expectThat((times.at(-1) ?? 0) < 60_000, `the last client was back after ${times.at(-1)} ms`)
  expectThat(failures.length === 0, `answers with 5xx: ${JSON.stringify(failures)}`)
  expectThat(broken.length === 0, `broken requests: ${broken.length}, ${broken.slice(0, 3)}`)
  isOver = true
}

const dataDir = await mkdtemp(join(tmpdir(), 'parley-overload-'))
const stack = await startStack({
  dataDir,
  log: (line) => console.error(line),
  env: { ...process.env, LOG_LEVEL: 'warn' },
})
try {
  if (values.only.includes('sends')) await tooManySends(stack.address)
  if (values.only.includes('herd')) {
    await lostQueues(stack.address, stack.addresses.REDIS_URL!, Number(values.clients))
  }
  for (const { name, reason } of stack.deaths) problems.push(`${name} died: ${reason}`)
} finally {
  await agent.destroy()
  await stack.stop({ discardData: true })
  await rm(dataDir, { recursive: true, force: true })
}
console.log(JSON.stringify(report, null, 2))
for (const problem of problems) console.log(`  ${problem}`)
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ report, problems }, null, 2)}\n`)
process.exit(problems.length === 0 ? 0 : 1)
