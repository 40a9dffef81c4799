import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nothingRead, recordEndId } from '../queues/event-ids.ts'
import { ownerToken, type QueueEntry } from '../queues/queue-records.ts'
import { type ShardFixture, shardFixture } from '../testing/shard-fixture.ts'
import { type Append, type PollOutcome, shardPrefix } from './shard-store.ts'

let fixture: ShardFixture
beforeEach(() => {
  fixture = shardFixture()
})
afterEach(() => fixture.close())

const entry = (user: number): QueueEntry => ({
  opened: {
    realm: 7,
    user,
    secret: 's'.repeat(22),
    types: null,
    narrow: [],
    all_public: false,
    shape: { apply_markdown: true, client_gravatar: false, slim_presence: false, capabilities: {} as never },
    idle: 600,
    settled: true,
  },
  known: {},
})
const token = (user: number): string => ownerToken(entry(user).opened)

const nothing = { deliveries: [], texts: [], opened: [], settled: [], sequences: {} }
const append = (from: number, to: number, what: Partial<Append> = {}) =>
  fixture.store.append(fixture.shard, { from, to, ...nothing, ...what }, 10_000)
const open = (number: number) => ({ number, entry: entry(number), token: token(number) })
const poll = async (queue: number, lastEventId?: number): Promise<PollOutcome> => {
  const request = { queue, token: token(queue), lastEventId, wantsEntry: false }
  return (await fixture.store.poll(fixture.shard, [request])).polls[0]!
}
const payloads = async (): Promise<string[]> =>
  (await fixture.keys()).filter((key) => key.startsWith(`${shardPrefix(fixture.shard)}p:`))

describe('an append', () => {
  it('is done wholly or not at all: a batch that begins elsewhere changes nothing and tells where the shard stands', async () => {
    await fixture.store.initialise(fixture.shard, 100)
    expect(await append(100, 101, { opened: [open(100)] })).toMatchObject({ done: true })
    const before = await fixture.keys()
    const wrong = {
      deliveries: [[[105], [100]]] as const,
      texts: [[105, 'x']] as const,
      opened: [open(104)],
      sequences: { channels: 9 },
    }
    expect(await append(104, 106, wrong)).toEqual({ done: false, position: 101 })
    expect(await append(100, 106, wrong)).toEqual({ done: false, position: 101 })
    expect(await fixture.keys()).toEqual(before)
    expect(await poll(100)).toMatchObject({ offsets: [] })
    expect((await fixture.store.load(fixture.shard)).sequences).toEqual({})
  })

  it('to an empty shard is refused', async () => {
    expect(await append(100, 101)).toEqual({ done: false, position: undefined })
    expect(await fixture.keys()).toEqual([])
  })

  it('tells which queues are gone, and stores no text that nobody holds', async () => {
    await fixture.store.initialise(fixture.shard, 1)
    await append(1, 3, { opened: [open(1), open(2)] })
    await fixture.store.close(fixture.shard, [[2, token(2)]])
    const outcome = await append(3, 5, {
      deliveries: [
        [[3], [1, 2]],
        [[4], [2]],
      ],
      texts: [
        [3, 'three'],
        [4, 'four'],
      ],
    })
    expect(outcome).toEqual({ done: true, gone: [2, 2], full: [] })
    expect(await fixture.store.texts(fixture.shard, [3, 4])).toEqual(['three', undefined])
  })

  it('closes a queue that holds too many unread records, and nobody else', async () => {
    await fixture.store.initialise(fixture.shard, 1)
    await append(1, 3, { opened: [open(1), open(2)] })
    const offsets = Array.from({ length: 12 }, (_, index) => index + 3)
    const outcome = await fixture.store.append(
      fixture.shard,
      {
        from: 3,
        to: 15,
        ...nothing,
        deliveries: [
          [offsets, [1]],
          [[3], [2]],
        ],
        texts: offsets.map((offset) => [offset, `text ${offset}`] as const),
      },
      10,
    )
    expect(outcome).toEqual({ done: true, gone: [], full: [1] })
    expect(await poll(1)).toEqual({ status: 'unknown' })
    expect(await poll(2)).toMatchObject({ status: 'ok', offsets: [3] })
    expect(await payloads()).toEqual([`${shardPrefix(fixture.shard)}p:3`])
  })
})

describe('acknowledging', () => {
  beforeEach(async () => {
    await fixture.store.initialise(fixture.shard, 1)
    await append(1, 3, { opened: [open(1), open(2)] })
    await append(3, 7, {
      deliveries: [
        [[3, 4, 6], [1]],
        [[3, 6], [2]],
      ],
      texts: [3, 4, 6].map((offset) => [offset, `text ${offset}`] as const),
    })
  })

  it('leaves nothing behind: when the last queue acknowledged a record, its text and count are gone', async () => {
    await poll(1, recordEndId(1, 6))
    expect(await payloads()).toHaveLength(2)
    await poll(2, recordEndId(2, 3))
    expect(await payloads()).toEqual([`${shardPrefix(fixture.shard)}p:6`])
    await poll(2, recordEndId(2, 6))
    expect(await payloads()).toEqual([])
    await fixture.store.close(fixture.shard, [
      [1, false],
      [2, false],
    ])
    expect(await fixture.keys()).toEqual([`${shardPrefix(fixture.shard)}state`])
  })

  it('drops what is acknowledged and gives the rest again until it is acknowledged', async () => {
    expect(await poll(1, nothingRead)).toMatchObject({ offsets: [3, 4, 6] })
    expect(await poll(1, nothingRead)).toMatchObject({ offsets: [3, 4, 6] })
    expect(await poll(1, recordEndId(1, 4))).toMatchObject({ offsets: [6], acknowledged: recordEndId(1, 4) })
    expect(await poll(1, recordEndId(1, 4))).toMatchObject({ offsets: [6] })
    expect(await poll(1)).toMatchObject({ offsets: [6] })
  })

  it('of a part of what a record became keeps the record', async () => {
    const partly = recordEndId(1, 4) - 2
    expect(await poll(1, partly)).toMatchObject({ offsets: [4, 6], acknowledged: partly })
    expect(await poll(1, recordEndId(1, 4))).toMatchObject({ offsets: [6] })
  })

  it('takes heartbeats, which lie between records', async () => {
    expect(await poll(1, recordEndId(1, 5) + 3)).toMatchObject({ offsets: [6] })
  })

  it('refuses what was pruned and what never was in the queue', async () => {
    await poll(1, recordEndId(1, 4))
    expect(await poll(1, recordEndId(1, 3))).toEqual({ status: 'pruned', acknowledged: recordEndId(1, 4) })
    expect(await poll(1, recordEndId(1, 5))).toMatchObject({ status: 'never' })
    expect(await poll(1)).toMatchObject({ offsets: [6] })
  })

  it("of records after the shard's position is told apart: the log may have them", async () => {
    expect(await poll(1, recordEndId(1, 7))).toMatchObject({ status: 'ahead' })
    expect(await poll(1)).toMatchObject({ offsets: [3, 4, 6] })
  })

  it('of thousands at once works in pieces and leaves no text', async () => {
    const offsets = Array.from({ length: 3500 }, (_, index) => index + 7)
    await append(7, 3507, {
      deliveries: [[offsets, [1]]],
      texts: offsets.map((offset) => [offset, 'x'] as const),
    })
    const first = await poll(1)
    expect(first).toMatchObject({ status: 'ok', more: true })
    expect(await poll(1, recordEndId(1, 3500))).toMatchObject({
      offsets: [3501, 3502, 3503, 3504, 3505, 3506],
    })
    await poll(1, recordEndId(1, 3506))
    await poll(2, recordEndId(2, 6))
    expect(await payloads()).toEqual([])
  })
})

describe('a queue', () => {
  it('is unknown to whoever does not own it, and early while the log is ahead of Redis', async () => {
    await fixture.store.initialise(fixture.shard, 5)
    await append(5, 6, { opened: [open(5)] })
    const { store, shard } = fixture
    const asked = async (queue: number, secret: string) =>
      (await store.poll(shard, [{ queue, token: secret, lastEventId: -1, wantsEntry: false }])).polls[0]
    expect(await asked(5, token(6))).toEqual({ status: 'unknown' })
    expect(await asked(4, token(4))).toEqual({ status: 'unknown' })
    expect(await asked(6, token(6))).toEqual({ status: 'early' })
  })

  it('of another owner cannot be closed', async () => {
    await fixture.store.initialise(fixture.shard, 5)
    await append(5, 6, { opened: [open(5)] })
    expect(await fixture.store.close(fixture.shard, [[5, token(6)]])).toEqual([])
    expect(await fixture.store.close(fixture.shard, [[5, token(5)]])).toEqual([5])
    expect(await fixture.store.close(fixture.shard, [[5, token(5)]])).toEqual([])
  })
})

describe('the sweep', () => {
  /** Answers the second at which the queue was polled last. */
  const age = async (queue: number, seconds: number): Promise<number> => {
    const polled = Number((await fixture.redis.time())[0]) - seconds
    await fixture.redis.hset(
      `${shardPrefix(fixture.shard)}owners`,
      String(queue),
      `${polled} ${token(queue)}`,
    )
    return polled
  }
  beforeEach(async () => {
    await fixture.store.initialise(fixture.shard, 1)
    await append(1, 3, { opened: [open(1), open(2)] })
  })
  const both = [
    [1, 600],
    [2, 600],
  ] as const

  it('closes what was idle for too long, and says when the others are due', async () => {
    await fixture.store.sweep(fixture.shard, [])
    await fixture.redis.hset(`${shardPrefix(fixture.shard)}state`, 'grace', 0)
    await age(1, 601)
    const polled = await age(2, 100)
    const { due } = await fixture.store.sweep(fixture.shard, both)
    expect(due).toEqual([
      [1, 0],
      [2, polled + 600],
    ])
    expect(await poll(1)).toEqual({ status: 'unknown' })
    expect(await poll(2)).toMatchObject({ status: 'ok' })
  })

  it('gives every queue its time again when clients may have been unable to poll', async () => {
    await age(1, 100_000)
    const { now, due } = await fixture.store.sweep(fixture.shard, both)
    expect(due.map(([, at]) => at)).toEqual([now + 600, now + 600])
    expect(await poll(1)).toMatchObject({ status: 'ok' })
  })
})
