import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Ask } from '@parley/kit'
import { type OwnDatabase, ownDatabase } from '@parley/testkit/own-database'
import ipaddr from 'ipaddr.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Calls, openCalls } from '../calls/call-receiver.ts'
import { resolver } from '../calls/name-resolution.ts'
import { receiverById, saveReceiver } from '../receivers/receiver-store.ts'
import { type Canary, startCanary } from '../testing/canary.ts'
import { sampleBot, sampleMessage } from '../testing/sample-message.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { claimDeliveries, insertDeliveries } from './delivery-store.ts'
import { gate } from './gate.ts'

let own: OwnDatabase
let receiver: Canary
let calls: Calls
/** What the receiver does with a call. */
let answer: (request: IncomingMessage, response: ServerResponse) => void
let mayRead: boolean

beforeAll(async () => {
  own = await ownDatabase('webhook-dispatcher')
  receiver = await startCanary((request, response) => answer(request, response))
  const networks = [ipaddr.parseCIDR('127.0.0.0/8')]
  calls = openCalls({
    rules: { networks, ports: [[1024, 65_535]] },
    resolve: resolver({ networks }),
    connections: 4,
  })
})
afterAll(async () => {
  await calls.close()
  await receiver.stop()
  await own.drop()
})
beforeEach(async () => {
  await sql()`TRUNCATE receivers, deliveries, attempts, posts`
  mayRead = true
  await saveReceiver(sql(), bot())
})

const sql = () => own.database.sql
const bot = (changes: Parameters<typeof sampleBot>[1] = {}) =>
  sampleBot(1, {
    services: [{ base_url: `http://127.0.0.1:${receiver.port}/`, interface: 1, token: 't' }],
    ...changes,
  })
const trigger = async (...ids: number[]) => {
  for (const id of ids) {
    await insertDeliveries(sql(), {
      realm_id: 7,
      message: sampleMessage(id),
      trigger: 'direct_message',
      bots: [1],
      traceparent: undefined,
    })
  }
}
const claim = () =>
  claimDeliveries(sql(), { underWay: new Map(), perBot: 4, limit: 100, lease: randomUUID() })
/** Works on all that is due. @returns how many deliveries that were. */
const workOn = async (by: Calls = calls): Promise<number> => {
  const ask = (async () => ({ may_read: mayRead })) as unknown as Ask
  const claimed = await claim()
  const parts = {
    database: own.database,
    ask,
    calls: by,
    publicUrl: 'http://chat.example',
    failures: gate(2),
  }
  await Promise.all(claimed.map((one) => attemptDelivery({ ...parts, onPosts: () => {} }, one)))
  return claimed.length
}
const answerWith = (status: number, headers: Record<string, string> = {}) => {
  answer = (_, response) => response.writeHead(status, headers).end()
}
const bringForward = () => sql()`UPDATE deliveries SET due_at = now() WHERE state = 'pending'`
const secondsUntil = (time: Date | null | undefined) => ((time?.getTime() ?? 0) - Date.now()) / 1000

describe('an attempt', () => {
  it('that meets a 429 or 503 is made again when the receiver wishes, and no other before', async () => {
    for (const status of [429, 503]) {
      await sql()`TRUNCATE receivers, deliveries, attempts`
      await saveReceiver(sql(), bot())
      await trigger(1)
      answerWith(status, { 'retry-after': '40' })
      expect(await workOn()).toBe(1)
      const [delivery] = await sql()<{ due_at: Date; state: string }[]>`SELECT due_at, state FROM deliveries`
      expect(delivery!.state).toBe('pending')
      expect(secondsUntil(delivery!.due_at)).toBeCloseTo(40, -1)
      expect(secondsUntil((await receiverById(sql(), 1))!.paused_until)).toBeCloseTo(40, -1)
      await trigger(2)
      expect(await workOn()).toBe(0)
    }
  })

  it('that fails again and again has its receiver left alone, then asked for one at a time, and all after a success', async () => {
    await trigger(1, 2, 3, 4, 5, 6, 7, 8)
    answerWith(500)
    expect(await workOn()).toBe(4)
    await bringForward()
    // The fifth failure opens the circuit; what was in hand with it ends too.
    expect(await workOn()).toBe(4)
    await bringForward()
    const open = (await receiverById(sql(), 1))!
    expect([open.failures, secondsUntil(open.paused_until) > 10]).toEqual([8, true])
    expect(await workOn()).toBe(0)
    await sql()`UPDATE receivers SET paused_until = now()`
    expect(await workOn()).toBe(1)
    expect(await workOn()).toBe(0)
    await sql()`UPDATE receivers SET paused_until = now()`
    answerWith(200)
    expect(await workOn()).toBe(1)
    expect(await receiverById(sql(), 1)).toMatchObject({
      failures: 0,
      paused_until: null,
      failing_since: null,
    })
    await bringForward()
    expect(await workOn()).toBe(4)
  })

  it('that is one of days of nothing but failures disables the webhook, and its owner is told once', async () => {
    await sql()`UPDATE receivers SET failures = 9, failing_since = now() - interval '73 h'`
    await trigger(1, 2)
    answerWith(500)
    // One at a time: it failed too often.
    expect(await workOn()).toBe(1)
    expect(await receiverById(sql(), 1)).toMatchObject({ disabled_reason: 'failing' })
    const posts = await sql()`SELECT kind, recipients, content FROM posts`
    expect(posts).toEqual([
      {
        kind: 'owner_notice',
        recipients: { user_ids: [bot().owner_id] },
        content: expect.stringContaining('for days, every call of it has failed'),
      },
    ])
    // What waited is given up, and what comes later says so.
    await trigger(3)
    await workOn()
    const ends = await sql()`SELECT DISTINCT state, failure FROM deliveries`
    expect(ends).toEqual([{ state: 'failed', failure: 'The webhook was disabled.' }])
    expect(await sql()`SELECT FROM posts WHERE kind = 'owner_notice'`).toHaveLength(1)
  })

  it('that succeeds like the one before leaves the receiver as it is', async () => {
    answerWith(200)
    await trigger(1)
    await workOn()
    const stored = async () => (await sql()<{ xmin: string }[]>`SELECT xmin::text FROM receivers`)[0]!.xmin
    const before = await stored()
    await trigger(2)
    expect(await workOn()).toBe(1)
    expect(await stored()).toBe(before)
  })

  it('at a URL that is not the present one says nothing of the receiver', async () => {
    await trigger(1)
    const moved = { base_url: `http://127.0.0.1:${receiver.port}/new`, interface: 1 as const, token: 't' }
    answer = (_, response) => {
      saveReceiver(sql(), bot({ version: 9, services: [moved] })).then(() => response.writeHead(410).end())
    }
    expect(await workOn()).toBe(1)
    expect(await receiverById(sql(), 1)).toMatchObject({
      url: moved.base_url,
      disabled_reason: null,
      failures: 0,
    })
  })

  it('that ends in an error which nobody foresaw is one of the schedule, and not the fault of the receiver', async () => {
    const broken: Calls = { ...calls, call: () => Promise.reject(new TypeError('who would have thought')) }
    await trigger(1)
    const pauses: number[] = []
    for (;;) {
      await bringForward()
      await expect(workOn(broken)).rejects.toThrow('who would have thought')
      const [{ state, due_at }] = await sql()<[{ state: string; due_at: Date | null }]>`
        SELECT state, due_at FROM deliveries`
      if (state !== 'pending') break
      pauses.push(secondsUntil(due_at))
    }
    expect(pauses).toHaveLength(14)
    expect(pauses[0]).toBeLessThan(10)
    expect(pauses[3]).toBeGreaterThan(290)
    const failure = 'An unforeseen error of the chat server.'
    const deliveries = await sql()`SELECT state, failure, attempts, lease FROM deliveries`
    expect(deliveries).toEqual([{ state: 'failed', failure, attempts: 15, lease: null }])
    expect(await sql()`SELECT DISTINCT error, status FROM attempts`).toEqual([
      { error: failure, status: null },
    ])
    const posts = await sql()<{ kind: string }[]>`SELECT kind FROM posts ORDER BY id`
    expect(posts.map(({ kind }) => kind)).toEqual(['notice', 'owner_notice', 'owner_notice'])
    expect(await receiverById(sql(), 1)).toMatchObject({ failures: 0, paused_until: null })
  })

  it('whose reply has characters that no message can have is answered all the same, once', async () => {
    await trigger(1)
    answer = (_, response) => response.end('{"content": "a\\u0000b"}')
    expect(await workOn()).toBe(1)
    expect(await sql()`SELECT kind, content FROM posts`).toEqual([{ kind: 'reply', content: 'ab' }])
    expect(await sql()`SELECT state FROM deliveries`).toEqual([{ state: 'delivered' }])
  })

  it('is not made of what the bot may not read (any more)', async () => {
    await trigger(1)
    mayRead = false
    const before = receiver.connections()
    await workOn()
    expect(await sql()`SELECT state, attempts FROM deliveries`).toEqual([{ state: 'withdrawn', attempts: 0 }])
    expect(receiver.connections()).toBe(before)
  })
})

it('a gate lets a few through at a time, in order, and on after a failure', async () => {
  const through = gate(2)
  let inside = 0
  const order: number[] = []
  const outcomes = await Promise.allSettled(
    Array.from({ length: 9 }, (_, n) =>
      through(async () => {
        inside += 1
        expect(inside).toBeLessThanOrEqual(2)
        order.push(n)
        await new Promise((resolve) => setTimeout(resolve, 2))
        inside -= 1
        if (n === 3) throw new Error('one fails')
      }),
    ),
  )
  expect(order).toEqual([...order.keys()])
  expect(outcomes.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1)
})
