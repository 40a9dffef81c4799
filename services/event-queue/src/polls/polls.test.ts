import { ApiError } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { recordEndId } from '../queues/event-ids.ts'
import { formatQueueId } from '../queues/queue-id.ts'
import { wakeChannel } from '../store/shard-store.ts'
import { type Answer, openPollRoom, type PollRoom, words } from '../testing/poll-room.ts'
import { quietLog, saveShard } from '../testing/shard-fixture.ts'
import { Polls } from './polls.ts'

let room: PollRoom
beforeEach(async () => {
  room = await openPollRoom()
})
afterEach(() => room.close())

const idsOf = (answer: Answer): number[] => answer.events.map(({ id }) => id)
const refusal = async (work: Promise<unknown>): Promise<ApiError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ApiError)) throw new Error('was not refused', { cause: error })
  return error
}
const parked = (count: number) =>
  eventually(() => expect(room.polls.counts()).toEqual({ parked: count, unsettled: 0, asking: 0 }))

describe('a poll', () => {
  it('reads what is unread, again until it is acknowledged', async () => {
    const queue = room.open({ user: 1 })
    const first = room.fixture.log.event(words('a'), { users: [1] })
    const second = room.fixture.log.event(words('b'), { users: [1] })
    await room.fixture.apply(room.owner)
    const all = await room.poll(queue, { last: -1 })
    expect(all.events).toEqual([
      { id: recordEndId(queue.number, first), ...words('a') },
      { id: recordEndId(queue.number, second), ...words('b') },
    ])
    expect(await room.poll(queue, { last: -1 })).toEqual(all)
    expect(idsOf(await room.poll(queue, { last: idsOf(all)[0]! }))).toEqual(idsOf(all).slice(1))
    expect(await room.poll(queue, { last: idsOf(all)[1]! })).toMatchObject({ result: 'success', events: [] })
  })

  it('takes from Redis what its answer has room for, and leaves the rest for the next', async () => {
    const queue = room.open({ user: 1 })
    const long = 'x'.repeat(20_000)
    const offsets = Array.from({ length: 200 }, (_, n) =>
      room.fixture.log.event(words(n % 50 < 25 ? long : 'brief'), { users: [1] }),
    )
    await room.fixture.apply(room.owner)
    const texts = vi.spyOn(room.fixture.store, 'texts')
    const taken = () => texts.mock.calls.reduce((sum, [, wanted]) => sum + wanted.length, 0)
    const ids: number[] = []
    for (let answers = 1; ids.length < offsets.length; answers += 1) {
      const before = taken()
      const answer = await room.poll(queue, { last: ids.at(-1) ?? -1 })
      expect(JSON.stringify(answer).length).toBeLessThan(1024 * 1024)
      expect(taken() - before).toBeLessThan(120)
      expect(answers).toBeLessThan(6)
      ids.push(...idsOf(answer))
    }
    expect(ids).toEqual(offsets.map((offset) => recordEndId(queue.number, offset)))
  })

  it('gets past more than an answer has room for, when nothing of it is for its client', async () => {
    const queue = room.open({ user: 1 })
    const linkifiers = { type: 'realm_linkifiers', realm_linkifiers: ['x'.repeat(20_000)] }
    for (let n = 0; n < 120; n += 1) room.fixture.log.event(linkifiers, { users: [1] })
    const after = room.fixture.log.event(words('after'), { users: [1] })
    await room.fixture.apply(room.owner)
    const beats: number[] = []
    for (;;) {
      const { events } = await room.poll(queue, { last: beats.at(-1) ?? -1 })
      if (events[0]!.type !== 'heartbeat') {
        expect(events).toEqual([{ id: recordEndId(queue.number, after), ...words('after') }])
        break
      }
      expect(events[0]!.id).toBeGreaterThan(beats.at(-1) ?? -1)
      beats.push(events[0]!.id)
    }
    expect(beats.length).toBeGreaterThan(1)
  })

  it('waits and is answered by the news, from memory; so is every other poll of the queue', async () => {
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    const waiting = [room.poll(queue, { blocks: true }), room.poll(queue, { blocks: true })]
    await parked(2)
    const offset = room.fixture.log.event(words('now'), { users: [1] })
    await room.owner.receive(room.fixture.log.records.slice(-1))
    const answers = await Promise.all(waiting)
    expect(answers.map(idsOf)).toEqual([
      [recordEndId(queue.number, offset)],
      [recordEndId(queue.number, offset)],
    ])
    expect(room.polls.counts()).toEqual({ parked: 0, unsettled: 0, asking: 0 })
  })

  it('that waits for its queue to be settled is answered when it is', async () => {
    const queue = room.open({ user: 1, settled: false })
    const event = room.fixture.log.event(words('before'), { users: [1] }, { xid: 5 })
    const late = room.poll(queue)
    await room.fixture.apply(room.owner)
    await eventually(() => expect(room.polls.counts().unsettled).toBe(1))
    room.fixture.log.settle(queue.number, {})
    await room.fixture.apply(room.owner)
    expect(idsOf(await late)).toEqual([recordEndId(queue.number, event)])
  })

  it('is forgotten when its client is gone, and its event is there for the next', async () => {
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    const client = new AbortController()
    void room.poll(queue, { blocks: true, gone: client.signal })
    await parked(1)
    client.abort()
    expect(room.polls.counts()).toEqual({ parked: 0, unsettled: 0, asking: 0 })
    const offset = room.fixture.log.event(words('kept'), { users: [1] })
    await room.fixture.apply(room.owner)
    expect(idsOf(await room.poll(queue))).toEqual([recordEndId(queue.number, offset)])
  })

  it('is not begun for a client that is gone before it', () => {
    const queue = room.open({ user: 1 })
    void room.poll(queue, { blocks: true, gone: AbortSignal.abort() })
    expect(room.polls.counts()).toEqual({ parked: 0, unsettled: 0, asking: 0 })
  })

  it('misses nothing when news were missed: the next news, or a new subscription, have it ask again', async () => {
    const queue = room.open({ user: 1 })
    const other = room.open({ user: 2 })
    await room.fixture.apply(room.owner)
    await room.poll(queue)
    const waiting = room.poll(queue, { blocks: true })
    await parked(1)
    await room.subscriber.unsubscribe()
    const missed = room.fixture.log.event(words('missed'), { users: [1] })
    await room.fixture.apply(room.owner)
    await room.subscriber.subscribe(wakeChannel(room.fixture.shard))
    room.fixture.log.event(words('not for this one'), { users: [2] })
    await room.fixture.apply(room.owner)
    expect(idsOf(await waiting)).toEqual([recordEndId(queue.number, missed)])
    expect(idsOf(await room.poll(other))).toHaveLength(1)

    const again = room.poll(queue, { last: recordEndId(queue.number, missed), blocks: true })
    await parked(1)
    await room.subscriber.unsubscribe()
    const silent = room.fixture.log.event(words('silent'), { users: [1] })
    await room.fixture.apply(room.owner)
    room.polls.missedNews()
    expect(idsOf(await again)).toEqual([recordEndId(queue.number, silent)])
  })

  it('asks again when news after missed ones come while Redis is asked', async () => {
    const { fixture, owner } = room
    const queue = room.open({ user: 1 })
    await fixture.apply(owner)
    const news: string[] = []
    room.subscriber.on('message', (_channel, message) => news.push(message))
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const polls = new Polls({
      store: {
        ...fixture.store,
        async poll(...wanted) {
          const answer = await fixture.store.poll(...wanted)
          asked.resolve()
          await answered.promise
          return answer
        },
      },
      shards: 1,
      eventBytes: 1024 * 1024,
      tick: async () => fixture.log.tick(),
      log: quietLog,
    })
    const waiting = room.poll(queue, { blocks: true, at: polls })
    await asked.promise
    const offsets = [words('missed'), words('next')].map((event) => fixture.log.event(event, { users: [1] }))
    for (const place of [0, 1]) {
      await owner.receive(fixture.log.records.slice(0, fixture.log.records.length - 1 + place))
      await eventually(() => expect(news).toHaveLength(place + 1))
    }
    polls.receive(fixture.shard, news[1]!)
    answered.resolve()
    expect(idsOf(await waiting)).toEqual(offsets.map((offset) => recordEndId(queue.number, offset)))
    polls.stop()
  })

  it('tells what was missed first when the next news are for the same queue', async () => {
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    const waiting = room.poll(queue, { blocks: true })
    await parked(1)
    await room.subscriber.unsubscribe()
    const missed = room.fixture.log.event(words('missed'), { users: [1] })
    await room.fixture.apply(room.owner)
    await room.subscriber.subscribe(wakeChannel(room.fixture.shard))
    const next = room.fixture.log.event(words('next'), { users: [1] })
    await room.fixture.apply(room.owner)
    expect(idsOf(await waiting)).toEqual([missed, next].map((offset) => recordEndId(queue.number, offset)))
  })

  it('racing with events gets each exactly once, in order', async () => {
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    const received: number[] = []
    const reading = (async () => {
      let last = -1
      while (received.length < 300) {
        const { events } = await room.poll(queue, { last, blocks: true })
        for (const { id } of events) {
          received.push(id)
          last = Math.max(last, id)
        }
      }
    })()
    const offsets: number[] = []
    while (offsets.length < 300) {
      for (let burst = offsets.length % 3; burst >= 0; burst -= 1) {
        if (offsets.length < 300) offsets.push(room.fixture.log.event(words('x'), { users: [1] }))
      }
      const position = (await room.fixture.store.position(room.fixture.shard))!
      await room.owner.receive(room.fixture.log.records.filter(({ offset }) => offset >= position))
    }
    await room.fixture.apply(room.owner)
    await reading
    expect(received).toEqual(offsets.map((offset) => recordEndId(queue.number, offset)))
  })
})

describe('queues that are not there', () => {
  it('are refused in the same words: unknown, foreign, closed, never issued', async () => {
    const queue = room.open({ user: 1 })
    const closed = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    await room.fixture.store.close(room.fixture.shard, [[closed.number, closed.token]])
    const foreign = { ...queue, token: queue.token.replace(/:1:/, ':2:'), user: 2 }
    const unknown = { ...queue, number: queue.number - 1 }
    const beyond = { ...queue, number: queue.number + 1_000_000 }
    for (const bad of [closed, foreign, unknown, beyond]) {
      const error = await refusal(room.poll(bad))
      const id = formatQueueId({ shard: room.fixture.shard, queue: bad.number, secret: bad.secret })
      expect(error.body()).toEqual({
        result: 'error',
        code: 'BAD_EVENT_QUEUE_ID',
        msg: `Bad event queue id: ${id}`,
        queue_id: id,
      })
    }
  })

  it('end the polls that wait for them', async () => {
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    const waiting = refusal(room.poll(queue, { blocks: true }))
    await parked(1)
    await room.fixture.store.close(room.fixture.shard, [[queue.number, queue.token]])
    expect((await waiting).code).toBe('BAD_EVENT_QUEUE_ID')
  })
})

describe('acknowledging', () => {
  it('refuses IDs that were pruned or never issued', async () => {
    const queue = room.open({ user: 1 })
    const first = room.fixture.log.event(words('a'), { users: [1] })
    room.fixture.log.event(words('b'), { users: [2] })
    room.fixture.log.event(words('c'), { users: [1] })
    await room.fixture.apply(room.owner)
    await room.poll(queue, { last: recordEndId(queue.number, first) })
    expect((await refusal(room.poll(queue, { last: -1 }))).body()).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'An event newer than -1 has already been pruned!',
    })
    for (const last of [
      recordEndId(queue.number, first + 1),
      10 ** 9,
      recordEndId(queue.number, first + 50),
    ]) {
      expect((await refusal(room.poll(queue, { last }))).body()).toMatchObject({ code: 'BAD_REQUEST' })
    }
    expect((await room.poll(queue)).events).toHaveLength(1)
  })

  it('of what Redis lost waits for the log to bring it back, and goes on from there', async () => {
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    const restore = await saveShard(room.fixture)
    const lost = room.fixture.log.event(words('lost'), { users: [1] })
    const kept = room.fixture.log.event(words('kept'), { users: [1] })
    await room.fixture.apply(room.owner)
    expect(idsOf(await room.poll(queue))).toHaveLength(2)
    await restore()
    const waiting = room.poll(queue, { last: recordEndId(queue.number, lost), blocks: true })
    await eventually(() => expect(room.polls.counts().unsettled).toBe(1))
    await room.owner.sweep()
    expect(idsOf(await waiting)).toEqual([recordEndId(queue.number, kept)])
  })
})

describe('a parked poll', () => {
  it('gets nothing twice when Redis forgets what was acknowledged', async () => {
    const queue = room.open({ user: 1 })
    const first = room.fixture.log.event(words('first'), { users: [1] })
    await room.fixture.apply(room.owner)
    const restore = await saveShard(room.fixture)
    const waiting = room.poll(queue, { last: recordEndId(queue.number, first), blocks: true })
    await parked(1)
    await restore()
    room.polls.missedNews()
    await parked(1)
    const second = room.fixture.log.event(words('second'), { users: [1] })
    await room.fixture.apply(room.owner)
    expect(idsOf(await waiting)).toEqual([recordEndId(queue.number, second)])
  })

  it('goes on when another poll of the queue acknowledges more, and is asked for again', async () => {
    const queue = room.open({ user: 1 })
    const first = room.fixture.log.event(words('first'), { users: [1] })
    await room.fixture.apply(room.owner)
    const early = room.poll(queue, { last: recordEndId(queue.number, first), blocks: true })
    await parked(1)
    await room.subscriber.unsubscribe()
    const second = room.fixture.log.event(words('second'), { users: [1] })
    await room.fixture.apply(room.owner)
    await room.poll(queue, { last: recordEndId(queue.number, second) })
    room.polls.missedNews()
    await room.subscriber.subscribe(wakeChannel(room.fixture.shard))
    await parked(1)
    const third = room.fixture.log.event(words('third'), { users: [1] })
    await room.fixture.apply(room.owner)
    expect(idsOf(await early)).toEqual([recordEndId(queue.number, third)])
  })
})

describe('draining', () => {
  it('answers every waiting poll with a heartbeat, and what comes after at once', async () => {
    const queue = room.open({ user: 1 })
    const unsettled = room.open({ user: 1, settled: false })
    const seen = room.fixture.log.event(words('seen'), { users: [1] })
    await room.fixture.apply(room.owner)
    const last = recordEndId(queue.number, seen)
    const waiting = [room.poll(queue, { last, blocks: true }), room.poll(unsettled, { blocks: true })]
    await eventually(() => expect(room.polls.counts()).toEqual({ parked: 1, unsettled: 1, asking: 0 }))
    room.polls.drain()
    const [beat, early] = await Promise.all(waiting)
    expect(beat!.events).toEqual([{ id: expect.any(Number), type: 'heartbeat' }])
    expect(beat!.events[0]!.id).toBeGreaterThan(last)
    expect(early!.events).toEqual([{ id: -1, type: 'heartbeat' }])
    const next = await room.poll(queue, { last: beat!.events[0]!.id, blocks: true })
    expect(next.events[0]!.type).toBe('heartbeat')
    const offset = room.fixture.log.event(words('next'), { users: [1] })
    await room.fixture.apply(room.owner)
    expect(idsOf(await room.poll(queue, { last: next.events[0]!.id }))).toEqual([
      recordEndId(queue.number, offset),
    ])
  })
})
