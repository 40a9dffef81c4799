import { eventually } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Replica, type ServiceFixture, startServiceFixture } from './testing/service-fixture.ts'
import { realm } from './testing/shard-fixture.ts'

let fixture: ServiceFixture
let one: Replica
let two: Replica

beforeAll(async () => {
  fixture = await startServiceFixture()
  ;[one, two] = await Promise.all([fixture.startReplica(), fixture.startReplica()])
}, 240_000)
afterAll(() => fixture?.stop())

interface Event {
  id: number
  type: string
  changes?: number[]
}
interface Registered {
  queue_id: string
  subscription?: number[]
}

const register = async (
  replica: Replica,
  userId: number,
  params: Record<string, string> = { event_types: '["subscription"]', fetch_event_types: '[]' },
): Promise<Registered> => {
  const { status, body } = await fixture.request(replica, userId, 'POST', '/register', params)
  expect(body).toMatchObject({ result: 'success', last_event_id: -1 })
  expect(status).toBe(200)
  return body as never as Registered
}

const events = async (
  replica: Replica,
  userId: number,
  queue: string,
  last: number,
  params: Record<string, string> = {},
): Promise<Event[]> => {
  const { body } = await fixture.request(replica, userId, 'GET', '/events', {
    queue_id: queue,
    last_event_id: String(last),
    ...params,
  })
  expect(body, JSON.stringify(body)).toMatchObject({ result: 'success' })
  return body.events as Event[]
}

let nextChange = 0
/** Makes a change that users are told of, in a transaction that takes a moment. */
const change = async (users: number[], seconds = 0): Promise<number> => {
  nextChange += 1
  const id = nextChange
  await fixture.database.transaction(async (tx) => {
    await tx.sql`INSERT INTO changes (id) VALUES (${id})`
    if (seconds > 0) await tx.sql`SELECT pg_sleep(${seconds})`
    tx.enqueue({
      topic: 'client-events',
      key: String(realm),
      // Of this kind every client gets the same.
      value: JSON.stringify({ type: 'subscription', op: 'of the test', changes: [id] }),
      audience: { realm, users },
    })
  })
  return id
}

/** Reads until the events hold this change, and answers all changes in the order of their arrival. */
const readUntil = async (
  replicas: readonly Replica[],
  userId: number,
  queue: string,
  lastChange: number,
): Promise<number[]> => {
  const seen: number[] = []
  let last = -1
  for (let turn = 0; !seen.includes(lastChange); turn += 1) {
    const replica = replicas[turn % replicas.length]!
    const news = await events(replica, userId, queue, last).catch((error: unknown) => {
      if (error instanceof TypeError) return []
      throw error
    })
    for (const event of news) {
      if (event.type !== 'heartbeat') expect(event.id).toBeGreaterThan(last)
      last = Math.max(last, event.id)
      seen.push(...(event.changes ?? []))
    }
  }
  return seen
}

describe('registration is exact', () => {
  it('state and events together hold every change once, whenever it committed', async () => {
    const users = [2, 3]
    let registering = true
    const changes: Promise<number>[] = []
    const writers = Array.from({ length: 6 }, async () => {
      while (registering) {
        changes.push(change(users, Math.random() * 0.02))
        await changes.at(-1)
      }
    })
    const clients = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await eventually(() => expect(nextChange).toBeGreaterThan(index * 8))
        const userId = users[index % 2]!
        const replica = index % 3 === 0 ? one : two
        const params = { event_types: '["subscription"]', fetch_event_types: '["subscription","unknown"]' }
        return { userId, replica, ...(await register(replica, userId, params)) }
      }),
    )
    registering = false
    await Promise.all(writers)
    const last = await change(users)
    const all = await Promise.all(changes)
    const expected = [...all, last].sort((left, right) => left - right)
    for (const { userId, replica, queue_id, subscription } of clients) {
      const news = await readUntil([replica], userId, queue_id, last)
      const together = [...subscription!, ...news].sort((left, right) => left - right)
      expect(together).toEqual(expected)
    }
    // The race is none unless the clients came in the middle of it.
    const sizes = clients.map(({ subscription }) => subscription!.length)
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeGreaterThan(20)
  })

  it('drops nothing of types whose state was not asked for', async () => {
    const params = { event_types: '["subscription"]', fetch_event_types: '["realm_user"]' }
    const { queue_id } = await register(one, 2, params)
    const id = await change([2])
    expect(await readUntil([one, two], 2, queue_id, id)).toContain(id)
  })

  it('is refused while a service whose state is asked for is away', async () => {
    fixture.setSectionsAway(true)
    const params = { fetch_event_types: '["message","subscription"]' }
    const { status, body } = await fixture.request(one, 2, 'POST', '/register', params)
    fixture.setSectionsAway(false)
    expect(status).toBe(503)
    expect(body.code).toBe('SERVER_NOT_READY')
  })
})

describe('a queue', () => {
  it('is served by any process, and gone for all when it is deleted', async () => {
    const { queue_id } = await register(one, 3)
    const waiting = fixture.request(two, 3, 'GET', '/events', { queue_id, last_event_id: '-1' })
    const { status } = await fixture.request(one, 3, 'DELETE', '/events', { queue_id })
    expect(status).toBe(200)
    for (const refused of [
      await waiting,
      await fixture.request(one, 3, 'GET', '/events', { queue_id }),
      await fixture.request(two, 3, 'DELETE', '/events', { queue_id }),
      await fixture.request(two, 2, 'DELETE', '/events', { queue_id }),
    ]) {
      expect(refused.status).toBe(400)
      expect(refused.body).toEqual({
        result: 'error',
        code: 'BAD_EVENT_QUEUE_ID',
        msg: `Bad event queue id: ${queue_id}`,
        queue_id,
      })
    }
  })

  it('is opened by a poll that names none', async () => {
    const params = { dont_block: 'true', event_types: '["subscription"]' }
    const { body } = await fixture.request(one, 3, 'GET', '/events', params)
    expect(body).toMatchObject({ result: 'success', events: [], queue_id: expect.any(String) })
    const id = await change([3])
    expect(await readUntil([one], 3, body.queue_id as string, id)).toContain(id)
  })

  it('of an account that is deactivated ends within a second, with the polls that wait for it', async () => {
    const { queue_id } = await register(one, 4)
    const waiting = fixture.request(two, 4, 'GET', '/events', { queue_id, last_event_id: '-1' })
    const begun = Date.now()
    await fixture.publishUser({
      id: 4,
      realm_id: realm,
      email: 'gone@example.com',
      delivery_email: 'gone@example.com',
      full_name: 'Gone',
      role: 400,
      is_active: false,
      bot_type: null,
      bot_owner_id: null,
      avatar_source: 'J',
      avatar_version: 1,
      version: 2,
    })
    expect((await waiting).body.code).toBe('BAD_EVENT_QUEUE_ID')
    expect(Date.now() - begun).toBeLessThan(1000)
  })
})

describe('processes come and go', () => {
  it('SIGKILL during a fan-out: every queue gets every event once, in order', async () => {
    const users = Array.from({ length: 20 }, (_, index) => 100 + index)
    const queues = await Promise.all(
      users.map(async (userId) => ({ userId, ...(await register(two, userId)) })),
    )
    const doomed = await fixture.startReplica()
    const made: number[] = []
    const writing = (async () => {
      for (let index = 0; index < 150; index += 1) {
        made.push(await change(users))
        if (index === 60) doomed.process.kill('SIGKILL')
        if (index === 100) one.process.kill('SIGKILL')
      }
      return change(users)
    })()
    const last = await writing
    const readings = await Promise.all(
      queues.map(({ userId, queue_id }) => readUntil([two], userId, queue_id, last)),
    )
    for (const reading of readings) expect(reading).toEqual([...made, last])
    one = await fixture.startReplica()
  })

  it('SIGTERM drains: waiting polls are answered early, the process leaves, its queues live on', async () => {
    const { queue_id } = await register(two, 200)
    const waiting = fixture.request(two, 200, 'GET', '/events', { queue_id, last_event_id: '-1' })
    await eventually(async () => {
      const { body } = await fixture.request(two, 200, 'GET', '/events', { queue_id, dont_block: 'true' })
      expect(body).toMatchObject({ events: [] })
    })
    const begun = Date.now()
    two.process.kill('SIGTERM')
    const { status, body } = await waiting
    expect(status).toBe(200)
    expect(body.events).toEqual([{ id: expect.any(Number), type: 'heartbeat' }])
    expect(await two.ended).toBe(0)
    expect(Date.now() - begun).toBeLessThan(8000)
    const id = await change([200])
    expect(await readUntil([one], 200, queue_id, id)).toEqual([id])
  })
})
