import { ApiError } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import type { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordEndId } from '../queues/event-ids.ts'
import { formatQueueId } from '../queues/queue-id.ts'
import type { QueueOpened } from '../queues/queue-records.ts'
import type { ShardOwner } from '../shards/shard-owner.ts'
import { wakeChannel } from '../store/shard-store.ts'
import {
  connectRedis,
  quietLog,
  type ShardFixture,
  saveShard,
  shardFixture,
} from '../testing/shard-fixture.ts'
import { Polls } from './polls.ts'

let fixture: ShardFixture
let owner: ShardOwner
let polls: Polls
let subscriber: Redis
const never = new AbortController().signal

interface Answer {
  result: string
  queue_id: string
  events: ({ id: number; type: string } & Record<string, unknown>)[]
}

const openPolls = (): Polls =>
  new Polls({
    store: fixture.store,
    shards: 1,
    eventBytes: 1024 * 1024,
    tick: async () => {
      const offset = fixture.log.tick()
      await owner.receive(fixture.log.records.slice(-1))
      return offset
    },
    log: quietLog,
  })

beforeEach(async () => {
  fixture = shardFixture()
  owner = fixture.owner()
  fixture.log.tick()
  await fixture.apply(owner)
  polls = openPolls()
  subscriber = connectRedis()
  await subscriber.subscribe(wakeChannel(fixture.shard))
  subscriber.on('message', (_channel, message) => polls.receive(fixture.shard, message))
})
afterEach(async () => {
  polls.stop()
  subscriber.disconnect()
  await fixture.close()
})

interface TestQueue {
  number: number
  token: string
  secret: string
  user: number
}
const open = (opened: Partial<QueueOpened> & { user: number }): TestQueue => ({
  ...fixture.log.open(opened),
  user: opened.user,
})

const poll = async (
  queue: TestQueue,
  { last, blocks = false, gone = never }: { last?: number; blocks?: boolean; gone?: AbortSignal } = {},
): Promise<Answer> => {
  const id = { shard: fixture.shard, queue: queue.number, secret: queue.secret }
  const text = await polls.wait(
    {
      id,
      queueId: formatQueueId(id),
      userId: queue.user,
      token: queue.token,
      lastEventId: last,
      blocks,
    },
    gone,
  )
  return JSON.parse(text) as Answer
}

const idsOf = (answer: Answer): number[] => answer.events.map(({ id }) => id)
const refusal = async (work: Promise<unknown>): Promise<ApiError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ApiError)) throw new Error('was not refused', { cause: error })
  return error
}
const words = (text: string) => ({ type: 'alert_words', alert_words: [text] })
const parked = (count: number) =>
  eventually(() => expect(polls.counts()).toEqual({ parked: count, unsettled: 0, asking: 0 }))

describe('a poll', () => {
  it('reads what is unread, again until it is acknowledged', async () => {
    const queue = open({ user: 1 })
    const first = fixture.log.event(words('a'), { users: [1] })
    const second = fixture.log.event(words('b'), { users: [1] })
    await fixture.apply(owner)
    const all = await poll(queue, { last: -1 })
    expect(all.events).toEqual([
      { id: recordEndId(queue.number, first), ...words('a') },
      { id: recordEndId(queue.number, second), ...words('b') },
    ])
    expect(await poll(queue, { last: -1 })).toEqual(all)
    expect(idsOf(await poll(queue, { last: idsOf(all)[0]! }))).toEqual(idsOf(all).slice(1))
    expect(await poll(queue, { last: idsOf(all)[1]! })).toMatchObject({ result: 'success', events: [] })
  })

  it('waits and is answered by the news, from memory; so is every other poll of the queue', async () => {
    const queue = open({ user: 1 })
    await fixture.apply(owner)
    const waiting = [poll(queue, { blocks: true }), poll(queue, { blocks: true })]
    await parked(2)
    const offset = fixture.log.event(words('now'), { users: [1] })
    await owner.receive(fixture.log.records.slice(-1))
    const answers = await Promise.all(waiting)
    expect(answers.map(idsOf)).toEqual([
      [recordEndId(queue.number, offset)],
      [recordEndId(queue.number, offset)],
    ])
    expect(polls.counts()).toEqual({ parked: 0, unsettled: 0, asking: 0 })
  })

  it('that waits for its queue to be settled is answered when it is', async () => {
    const queue = open({ user: 1, settled: false })
    const event = fixture.log.event(words('before'), { users: [1] }, { xid: 5 })
    const late = poll(queue)
    await fixture.apply(owner)
    await eventually(() => expect(polls.counts().unsettled).toBe(1))
    fixture.log.settle(queue.number, {})
    await fixture.apply(owner)
    expect(idsOf(await late)).toEqual([recordEndId(queue.number, event)])
  })

  it('is forgotten when its client is gone, and its event is there for the next', async () => {
    const queue = open({ user: 1 })
    await fixture.apply(owner)
    const client = new AbortController()
    void poll(queue, { blocks: true, gone: client.signal })
    await parked(1)
    client.abort()
    expect(polls.counts()).toEqual({ parked: 0, unsettled: 0, asking: 0 })
    const offset = fixture.log.event(words('kept'), { users: [1] })
    await fixture.apply(owner)
    expect(idsOf(await poll(queue))).toEqual([recordEndId(queue.number, offset)])
  })

  it('misses nothing when news were missed: the next news, or a new subscription, have it ask again', async () => {
    const queue = open({ user: 1 })
    const other = open({ user: 2 })
    await fixture.apply(owner)
    await poll(queue)
    const waiting = poll(queue, { blocks: true })
    await parked(1)
    await subscriber.unsubscribe()
    const missed = fixture.log.event(words('missed'), { users: [1] })
    await fixture.apply(owner)
    await subscriber.subscribe(wakeChannel(fixture.shard))
    fixture.log.event(words('not for this one'), { users: [2] })
    await fixture.apply(owner)
    expect(idsOf(await waiting)).toEqual([recordEndId(queue.number, missed)])
    expect(idsOf(await poll(other))).toHaveLength(1)

    const again = poll(queue, { last: recordEndId(queue.number, missed), blocks: true })
    await parked(1)
    await subscriber.unsubscribe()
    const silent = fixture.log.event(words('silent'), { users: [1] })
    await fixture.apply(owner)
    polls.missedNews()
    expect(idsOf(await again)).toEqual([recordEndId(queue.number, silent)])
  })

  it('racing with events gets each exactly once, in order', async () => {
    const queue = open({ user: 1 })
    await fixture.apply(owner)
    const received: number[] = []
    const reading = (async () => {
      let last = -1
      while (received.length < 300) {
        const { events } = await poll(queue, { last, blocks: true })
        for (const { id } of events) {
          received.push(id)
          last = Math.max(last, id)
        }
      }
    })()
    const offsets: number[] = []
    while (offsets.length < 300) {
      for (let burst = offsets.length % 3; burst >= 0; burst -= 1) {
        if (offsets.length < 300) offsets.push(fixture.log.event(words('x'), { users: [1] }))
      }
      const position = (await fixture.store.position(fixture.shard))!
      await owner.receive(fixture.log.records.filter(({ offset }) => offset >= position))
    }
    await fixture.apply(owner)
    await reading
    expect(received).toEqual(offsets.map((offset) => recordEndId(queue.number, offset)))
  })
})

describe('queues that are not there', () => {
  it('are refused in the same words: unknown, foreign, closed, never issued', async () => {
    const queue = open({ user: 1 })
    const closed = open({ user: 1 })
    await fixture.apply(owner)
    await fixture.store.close(fixture.shard, [[closed.number, closed.token]])
    const foreign = { ...queue, token: queue.token.replace(/:1:/, ':2:'), user: 2 }
    const unknown = { ...queue, number: queue.number - 1 }
    const beyond = { ...queue, number: queue.number + 1_000_000 }
    for (const bad of [closed, foreign, unknown, beyond]) {
      const error = await refusal(poll(bad))
      const id = formatQueueId({ shard: fixture.shard, queue: bad.number, secret: bad.secret })
      expect(error.body()).toEqual({
        result: 'error',
        code: 'BAD_EVENT_QUEUE_ID',
        msg: `Bad event queue id: ${id}`,
        queue_id: id,
      })
    }
  })

  it('end the polls that wait for them', async () => {
    const queue = open({ user: 1 })
    await fixture.apply(owner)
    const waiting = refusal(poll(queue, { blocks: true }))
    await parked(1)
    await fixture.store.close(fixture.shard, [[queue.number, queue.token]])
    expect((await waiting).code).toBe('BAD_EVENT_QUEUE_ID')
  })
})

describe('acknowledging', () => {
  it('refuses IDs that were pruned or never issued', async () => {
    const queue = open({ user: 1 })
    const first = fixture.log.event(words('a'), { users: [1] })
    fixture.log.event(words('b'), { users: [2] })
    fixture.log.event(words('c'), { users: [1] })
    await fixture.apply(owner)
    await poll(queue, { last: recordEndId(queue.number, first) })
    expect((await refusal(poll(queue, { last: -1 }))).body()).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'An event newer than -1 has already been pruned!',
    })
    for (const last of [
      recordEndId(queue.number, first + 1),
      10 ** 9,
      recordEndId(queue.number, first + 50),
    ]) {
      expect((await refusal(poll(queue, { last }))).body()).toMatchObject({ code: 'BAD_REQUEST' })
    }
    expect((await poll(queue)).events).toHaveLength(1)
  })

  it('of what Redis lost waits for the log to bring it back, and goes on from there', async () => {
    const queue = open({ user: 1 })
    await fixture.apply(owner)
    const restore = await saveShard(fixture)
    const lost = fixture.log.event(words('lost'), { users: [1] })
    const kept = fixture.log.event(words('kept'), { users: [1] })
    await fixture.apply(owner)
    expect(idsOf(await poll(queue))).toHaveLength(2)
    await restore()
    const waiting = poll(queue, { last: recordEndId(queue.number, lost), blocks: true })
    await eventually(() => expect(polls.counts().unsettled).toBe(1))
    await owner.sweep()
    expect(idsOf(await waiting)).toEqual([recordEndId(queue.number, kept)])
  })
})

describe('a parked poll', () => {
  it('gets nothing twice when Redis forgets what was acknowledged', async () => {
    const queue = open({ user: 1 })
    const first = fixture.log.event(words('first'), { users: [1] })
    await fixture.apply(owner)
    const restore = await saveShard(fixture)
    const waiting = poll(queue, { last: recordEndId(queue.number, first), blocks: true })
    await parked(1)
    await restore()
    polls.missedNews()
    await parked(1)
    const second = fixture.log.event(words('second'), { users: [1] })
    await fixture.apply(owner)
    expect(idsOf(await waiting)).toEqual([recordEndId(queue.number, second)])
  })

  it('goes on when another poll of the queue acknowledges more, and is asked for again', async () => {
    const queue = open({ user: 1 })
    const first = fixture.log.event(words('first'), { users: [1] })
    await fixture.apply(owner)
    const early = poll(queue, { last: recordEndId(queue.number, first), blocks: true })
    await parked(1)
    await subscriber.unsubscribe()
    const second = fixture.log.event(words('second'), { users: [1] })
    await fixture.apply(owner)
    await poll(queue, { last: recordEndId(queue.number, second) })
    polls.missedNews()
    await subscriber.subscribe(wakeChannel(fixture.shard))
    await parked(1)
    const third = fixture.log.event(words('third'), { users: [1] })
    await fixture.apply(owner)
    expect(idsOf(await early)).toEqual([recordEndId(queue.number, third)])
  })
})

describe('draining', () => {
  it('answers every waiting poll with a heartbeat, and what comes after at once', async () => {
    const queue = open({ user: 1 })
    const unsettled = open({ user: 1, settled: false })
    const seen = fixture.log.event(words('seen'), { users: [1] })
    await fixture.apply(owner)
    const last = recordEndId(queue.number, seen)
    const waiting = [poll(queue, { last, blocks: true }), poll(unsettled, { blocks: true })]
    await eventually(() => expect(polls.counts()).toEqual({ parked: 1, unsettled: 1, asking: 0 }))
    polls.drain()
    const [beat, early] = await Promise.all(waiting)
    expect(beat!.events).toEqual([{ id: expect.any(Number), type: 'heartbeat' }])
    expect(beat!.events[0]!.id).toBeGreaterThan(last)
    expect(early!.events).toEqual([{ id: -1, type: 'heartbeat' }])
    const next = await poll(queue, { last: beat!.events[0]!.id, blocks: true })
    expect(next.events[0]!.type).toBe('heartbeat')
    const offset = fixture.log.event(words('next'), { users: [1] })
    await fixture.apply(owner)
    expect(idsOf(await poll(queue, { last: next.events[0]!.id }))).toEqual([
      recordEndId(queue.number, offset),
    ])
  })
})

describe('forms of events', () => {
  const message = (fields: object = {}) => ({
    type: 'message',
    message: {
      id: 5,
      type: 'stream',
      stream_id: 3,
      subject: '',
      display_recipient: 'general',
      recipient_id: 9,
      sender_id: 2,
      sender_email: 'bo@example.com',
      sender_full_name: 'Bo',
      sender_realm_str: '',
      client: 'test',
      is_me_message: false,
      timestamp: 1,
      reactions: [],
      submessages: [],
      topic_links: [],
      content: '**raw**',
      rendered_content: '<p>done</p>',
      avatar_url: 'https://example.com/a',
      avatar_is_gravatar: true,
    },
    flags: [],
    ...fields,
  })
  const shape = (fields: Partial<QueueOpened['shape']>): QueueOpened['shape'] => ({
    apply_markdown: false,
    client_gravatar: false,
    slim_presence: false,
    ...fields,
    capabilities: { empty_topic_name: fields.apply_markdown === true } as never,
  })

  it('follow what each client asked for, and who reads', async () => {
    const raw = open({ user: 1, shape: shape({ client_gravatar: true }) })
    const html = open({ user: 1, shape: shape({ apply_markdown: true }) })
    const mentioned = open({ user: 3, shape: shape({}) })
    fixture.log.event(message(), { users: [1, 3], personal: { 3: { flags: ['mentioned'] } } })
    await fixture.apply(owner)
    const read = async (queue: TestQueue) =>
      (await poll(queue)).events[0] as never as ReturnType<typeof message>
    expect(await read(raw)).toMatchObject({
      flags: [],
      message: { content: '**raw**', avatar_url: null, subject: 'general chat' },
    })
    expect(await read(html)).toMatchObject({
      flags: [],
      message: { content: '<p>done</p>', avatar_url: 'https://example.com/a', subject: '' },
    })
    expect(await read(mentioned)).toMatchObject({ flags: ['mentioned'] })
    expect(Object.keys((await read(html)).message)).not.toContain('rendered_content')
  })

  it("tell the client's own name for a message to the queue that it was sent from, and to no other", async () => {
    const sender = open({ user: 2 })
    const other = open({ user: 2 })
    const queueId = formatQueueId({ shard: fixture.shard, queue: sender.number, secret: sender.secret })
    fixture.log.event(message({ local_message_id: '17.5', sending_queue_id: queueId }), {
      users: [2],
      personal: { 2: { flags: ['read'] } },
    })
    await fixture.apply(owner)
    const own = (await poll(sender)).events[0]!
    expect(own).toMatchObject({ local_message_id: '17.5', flags: ['read'] })
    const others = (await poll(other)).events[0]!
    expect(others).toMatchObject({ flags: ['read'] })
    for (const event of [own, others]) expect(Object.keys(event)).not.toContain('sending_queue_id')
    expect(Object.keys(others)).not.toContain('local_message_id')
  })

  it('respect the narrow, message by message', async () => {
    const inGeneral = open({ user: 1, narrow: [['stream', 'General']] })
    const direct = open({ user: 1, narrow: [['is', 'dm']] })
    const mentions = open({ user: 1, narrow: [['is', 'mentioned']] })
    fixture.log.event(message(), { users: [1] })
    fixture.log.event(words('no message'), { users: [1] })
    fixture.log.event(message(), { users: [1], personal: { 1: { flags: ['mentioned'] } } })
    await fixture.apply(owner)
    const types = async (queue: TestQueue) => (await poll(queue)).events.map(({ type }) => type)
    expect(await types(inGeneral)).toEqual(['message', 'alert_words', 'message'])
    expect(await types(direct)).toEqual(['alert_words'])
    expect(await types(mentions)).toEqual(['alert_words', 'message'])
  })
})
