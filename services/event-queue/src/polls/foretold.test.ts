import { EngineUnavailableError } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { recordEndId } from '../queues/event-ids.ts'
import type { ShardStore } from '../store/shard-store.ts'
import { openPollRoom, type PollRoom, type TestQueue, words } from '../testing/poll-room.ts'
import { saveShard } from '../testing/shard-fixture.ts'

let room: PollRoom
afterEach(() => room.close())

const ids = async (answer: ReturnType<PollRoom['poll']>): Promise<number[]> =>
  (await answer).events.map(({ id }) => id)
const counted = (counts: { parked?: number; unsettled?: number }) =>
  eventually(() => expect(room.polls.counts()).toEqual({ parked: 0, unsettled: 0, asking: 0, ...counts }))

/** A room whose appends wait, from when it is said until they are let go. */
const openHeldRoom = async () => {
  let held: Promise<void> | undefined
  let letGo = (): void => {}
  const store = (redis: ShardStore): ShardStore => ({
    ...redis,
    async append(...wanted) {
      await held
      return redis.append(...wanted)
    },
  })
  room = await openPollRoom({ isOwners: true, store })
  return {
    hold() {
      held = new Promise((resolve) => {
        letGo = resolve
      })
    },
    letGo: () => letGo(),
  }
}

/** Hands one event to the owner, and answers the ID that the queue's client knows it by. */
const tell = async (queue: TestQueue, text: string): Promise<number> => {
  const offset = room.fixture.log.event(words(text), { users: [queue.user] })
  await room.owner.receive(room.fixture.log.records.slice(-1))
  return recordEndId(queue.number, offset)
}

describe('a poll in the process of the owner', () => {
  it('is answered before Redis holds the record; what asks next waits until it does', async () => {
    const { hold, letGo } = await openHeldRoom()
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    const waiting = room.poll(queue, { blocks: true })
    await counted({ parked: 1 })
    hold()
    const told = await tell(queue, 'told')
    expect(await ids(waiting)).toEqual([told])
    expect(await room.fixture.store.position(room.fixture.shard)).toBe(room.fixture.log.end - 1)

    const next = room.poll(queue, { last: told, blocks: true })
    const again = room.poll(queue, { blocks: true })
    await counted({ unsettled: 2 })
    letGo()
    expect(await ids(again)).toEqual([told])
    await counted({ parked: 1 })
    const later = await tell(queue, 'later')
    expect(await ids(next)).toEqual([later])
  })

  it('that is answered with a heartbeat meanwhile acknowledges nothing of what was foretold', async () => {
    const { hold, letGo } = await openHeldRoom()
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    // Nobody waits, so what is told is heard by nobody.
    await ids(room.poll(queue))
    hold()
    const told = await tell(queue, 'told')
    const early = room.poll(queue, { blocks: true })
    await counted({ unsettled: 1 })
    room.polls.drain()
    expect((await early).events).toEqual([{ id: -1, type: 'heartbeat' }])
    letGo()
    await room.fixture.apply(room.owner)
    expect(await ids(room.poll(queue, { last: -1 }))).toEqual([told])
  })

  it('was told the truth when Redis loses what it was told of: nothing is missing, nothing comes twice', async () => {
    room = await openPollRoom({ isOwners: true })
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    const restore = await saveShard(room.fixture)
    const waiting = room.poll(queue, { blocks: true })
    await counted({ parked: 1 })
    const told = await tell(queue, 'told')
    expect(await ids(waiting)).toEqual([told])
    await room.fixture.apply(room.owner)
    await restore()
    const next = room.poll(queue, { last: told, blocks: true })
    await counted({ unsettled: 1 })
    await room.owner.sweep()
    await counted({ parked: 1 })
    const later = await tell(queue, 'later')
    expect(await ids(next)).toEqual([later])
  })

  it('hears by the news what is for many', async () => {
    const { hold, letGo } = await openHeldRoom()
    const queues = Array.from({ length: 33 }, () => room.open({ user: 1 }))
    await room.fixture.apply(room.owner)
    const waiting = queues.map((queue) => room.poll(queue, { blocks: true }))
    await counted({ parked: 33 })
    hold()
    const offset = room.fixture.log.event(words('for all'), { users: [1] })
    await room.owner.receive(room.fixture.log.records.slice(-1))
    await new Promise((resolve) => setImmediate(resolve))
    expect(room.polls.counts().parked).toBe(33)
    letGo()
    const told = await Promise.all(waiting.map(ids))
    expect(told).toEqual(queues.map(({ number }) => [recordEndId(number, offset)]))
  })

  it('is told nothing when another owner was there in between, and hears it by the news', async () => {
    room = await openPollRoom({ isOwners: true })
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    await room.poll(queue)
    const waiting = room.poll(queue, { blocks: true })
    await counted({ parked: 1 })
    await room.subscriber.unsubscribe()
    const missed = room.fixture.log.event(words('missed'), { users: [1] })
    await room.fixture.apply(room.fixture.owner())
    await room.owner.load()
    const second = room.fixture.log.event(words('second'), { users: [1] })
    await room.owner.receive(room.fixture.log.records.slice(-1))
    await room.fixture.apply(room.owner)
    expect(room.polls.counts().parked).toBe(1)
    room.polls.missedNews()
    expect(await ids(waiting)).toEqual([missed, second].map((offset) => recordEndId(queue.number, offset)))
  })
})

it('each event comes once, in order, though appends fail, answers are lost, and polls change the process', async () => {
  let appends = 0
  const store = (redis: ShardStore): ShardStore => ({
    ...redis,
    async append(...wanted) {
      appends += 1
      if (appends % 10 === 3) throw new EngineUnavailableError('redis')
      const outcome = await redis.append(...wanted)
      if (appends % 10 === 7) throw new EngineUnavailableError('redis')
      return outcome
    },
  })
  room = await openPollRoom({ isOwners: true, store })
  const queue = room.open({ user: 1 })
  await room.fixture.apply(room.owner)
  const wanted = 150
  const received: number[] = []
  const reading = (async () => {
    let last = -1
    for (let polls = 0; received.length < wanted; polls += 1) {
      const at = polls % 3 === 1 ? room.elsewhere : room.polls
      const { events } = await room.poll(queue, { last, blocks: true, at })
      // An answer that never arrives.
      if (polls % 5 === 4) continue
      for (const { id } of events) {
        received.push(id)
        last = id
      }
    }
  })()
  const told: number[] = []
  while (told.length < wanted) {
    told.push(await tell(queue, 'x'))
    // Now and then the last one is read, and a poll waits for the next.
    if (told.length % 4 === 0) await eventually(() => expect(received).toHaveLength(told.length))
  }
  await reading
  expect(received).toEqual(told)
})
