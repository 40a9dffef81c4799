import { EngineUnavailableError } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { recordEndId } from '../queues/event-ids.ts'
import type { ShardStore } from '../store/shard-store.ts'
import { type Answer, openPollRoom, type PollRoom, type TestQueue, words } from '../testing/poll-room.ts'
import { saveShard } from '../testing/shard-fixture.ts'

let room: PollRoom
afterEach(() => room.close())

const openRoom = async (store?: (redis: ShardStore) => ShardStore): Promise<TestQueue> => {
  room = await openPollRoom({ isOwners: true, ...(store === undefined ? {} : { store }) })
  const queue = room.open({ user: 1 })
  // What is told ahead follows something.
  room.fixture.log.event(words('to somebody else'), { users: [2] })
  await room.fixture.apply(room.owner)
  await room.poll(queue)
  return queue
}
const textsOf = ({ events }: Answer): string[] =>
  events.flatMap(({ alert_words: texts }) => (texts as string[] | undefined) ?? [])
const lastOf = ({ events }: Answer): number => events.at(-1)!.id
const parked = (count = 1) =>
  eventually(() => expect(room.polls.counts()).toEqual({ parked: count, unsettled: 0, asking: 0 }))
const applied = async (offset: number): Promise<number> => {
  await room.fixture.apply(room.owner)
  return offset
}
const announce = (text: string, source = 'channels') =>
  room.fixture.log.announce(words(text), { users: [1] }, { source })
const happen = (text: string, source?: string): Promise<number> => applied(announce(text, source).publish())

/** A client that waits, and is told of something that the log has not got. */
const toldAhead = async (queue: TestQueue, text: string) => {
  const waiting = room.poll(queue, { blocks: true })
  await parked()
  const { notice, publish } = announce(text)
  room.owner.takeNotice(notice)
  const answer = await waiting
  expect(textsOf(answer)).toEqual([text])
  return { last: lastOf(answer), notice, publish: () => applied(publish()) }
}

describe('who waits for an event that is on its way to the log', () => {
  it('is told of it at once, and not again when the log has it', async () => {
    const queue = await openRoom()
    const { last, publish } = await toldAhead(queue, 'ahead')
    expect(last).toBeGreaterThan(recordEndId(queue.number, room.fixture.log.end - 1))
    const next = room.poll(queue, { last, blocks: true })
    await parked()
    await publish()
    await happen('later')
    expect(textsOf(await next)).toEqual(['later'])
  })

  it('is told of one after the other', async () => {
    const queue = await openRoom()
    for (const text of ['first', 'second', 'third']) {
      const { last, publish } = await toldAhead(queue, text)
      await publish()
      expect(textsOf(await room.poll(queue, { last }))).toEqual([])
    }
  })

  it('gets it again with the log when it did not get the answer', async () => {
    const queue = await openRoom()
    const { publish } = await toldAhead(queue, 'lost')
    const offset = await publish()
    const again = await room.poll(queue, { blocks: true })
    expect(textsOf(again)).toEqual(['lost'])
    expect(lastOf(again)).toBe(recordEndId(queue.number, offset))
  })

  it('may go on in another process', async () => {
    const queue = await openRoom()
    const { last, publish } = await toldAhead(queue, 'ahead')
    const next = room.poll(queue, { last, blocks: true, at: room.elsewhere })
    await publish()
    await happen('later')
    expect(textsOf(await next)).toEqual(['later'])
  })

  it('gets what another service announced, wherever that stands in the log', async () => {
    const queue = await openRoom()
    const { last, publish } = await toldAhead(queue, 'ahead')
    await happen('before it', 'identity')
    const before = await room.poll(queue, { last, blocks: true })
    expect(textsOf(before)).toEqual(['before it'])
    expect(lastOf(before)).toBeGreaterThan(last)
    await publish()
    await happen('behind it', 'identity')
    expect(textsOf(await room.poll(queue, { last, blocks: true }))).toEqual(['before it', 'behind it'])
    expect(textsOf(await room.poll(queue, { last: lastOf(before) }))).toEqual(['behind it'])
  })

  it('is told nothing more ahead while the log has not got it', async () => {
    const queue = await openRoom()
    const { last, notice, publish } = await toldAhead(queue, 'ahead')
    const next = room.poll(queue, { last, blocks: true })
    await parked()
    const second = announce('second')
    for (const each of [notice, second.notice]) room.owner.takeNotice(each)
    await parked()
    await publish()
    await applied(second.publish())
    expect(textsOf(await next)).toEqual(['second'])
  })

  it('gets heartbeats that acknowledge it, and nothing else', async () => {
    const queue = await openRoom()
    const { last, publish } = await toldAhead(queue, 'ahead')
    // Who leaves sends one to whoever waits.
    room.polls.drain()
    let beaten = last
    for (let beats = 0; beats < 3; beats += 1) {
      const { events } = await room.poll(queue, { last: beaten, blocks: true })
      expect(events).toEqual([{ id: expect.any(Number), type: 'heartbeat' }])
      expect(events[0]!.id).toBeGreaterThan(beaten)
      beaten = events[0]!.id
    }
    expect(textsOf(await room.poll(queue, { last: beaten }))).toEqual([])
    await happen('of another', 'identity')
    expect(textsOf(await room.poll(queue, { last: beaten }))).toEqual(['of another'])
    await publish()
    expect(textsOf(await room.poll(queue, { last: beaten }))).toEqual(['of another'])
  })

  it('leaves nothing behind that nobody acknowledges', async () => {
    const queue = await openRoom()
    const { last, publish } = await toldAhead(queue, 'ahead')
    await publish()
    const waiting = room.poll(queue, { last, blocks: true })
    await parked()
    room.polls.drain()
    await room.poll(queue, { last: lastOf(await waiting) })
    const { prefix } = /^(?<prefix>\{s\d+\})/.exec((await room.fixture.keys())[0]!)!.groups!
    expect((await room.fixture.keys()).filter((key) => key.startsWith(`${prefix}p:`))).toEqual([])
  })

  it('was told the truth when Redis loses what came after', async () => {
    const queue = await openRoom()
    const restore = await saveShard(room.fixture)
    const { last, publish } = await toldAhead(queue, 'ahead')
    await publish()
    await happen('later')
    await restore()
    const next = room.poll(queue, { last, blocks: true })
    await room.owner.sweep()
    expect(textsOf(await next)).toEqual(['later'])
  })
})

describe('nobody is told ahead', () => {
  it('of what follows something that is not applied yet', async () => {
    const queue = await openRoom()
    const waiting = room.poll(queue, { blocks: true })
    await parked()
    const [first, second] = [announce('first'), announce('second')]
    room.owner.takeNotice(second.notice)
    await parked()
    await applied(first.publish())
    await applied(second.publish())
    const answer = await waiting
    expect(textsOf(answer)).toEqual(['first'])
    expect(textsOf(await room.poll(queue, { last: lastOf(answer) }))).toEqual(['second'])
  })

  it('whose process missed what stands before it', async () => {
    const queue = await openRoom()
    const waiting = room.poll(queue, { blocks: true })
    await parked()
    await room.subscriber.unsubscribe()
    announce('missed').publish()
    await room.fixture.apply(room.fixture.owner())
    await room.owner.load()
    const { notice, publish } = announce('next')
    room.owner.takeNotice(notice)
    await parked()
    room.polls.missedNews()
    const answer = await waiting
    expect(textsOf(answer)).toEqual(['missed'])
    await applied(publish())
    expect(textsOf(await room.poll(queue, { last: lastOf(answer) }))).toEqual(['next'])
  })

  it('of what another service announces', async () => {
    const queue = await openRoom()
    const waiting = room.poll(queue, { blocks: true })
    await happen('first', 'identity')
    const last = lastOf(await waiting)
    const next = room.poll(queue, { last, blocks: true })
    await parked()
    room.owner.takeNotice(announce('second', 'identity').notice)
    await parked()
    await happen('by channels')
    expect(textsOf(await next)).toEqual(['by channels'])
  })

  it('whose queue is so new that it has no IDs', async () => {
    room = await openPollRoom({ isOwners: true })
    await happen('earlier')
    const queue = room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    const waiting = room.poll(queue, { blocks: true })
    await parked()
    const { notice, publish } = announce('event')
    room.owner.takeNotice(notice)
    await parked()
    await applied(publish())
    expect(textsOf(await waiting)).toEqual(['event'])
  })

  it('when the shard went to another process', async () => {
    const queue = await openRoom()
    await happen('first')
    const last = lastOf(await room.poll(queue, { blocks: true }))
    const waiting = room.poll(queue, { last, blocks: true })
    await parked()
    room.owner.release()
    const { notice, publish } = announce('second')
    room.owner.takeNotice(notice)
    await parked()
    publish()
    await room.fixture.apply(room.fixture.owner())
    expect(textsOf(await waiting)).toEqual(['second'])
  })

  it('when more than a few wait', async () => {
    const queue = await openRoom()
    await happen('first')
    const last = lastOf(await room.poll(queue, { blocks: true }))
    for (let more = 0; more < 32; more += 1) room.open({ user: 1 })
    await room.fixture.apply(room.owner)
    const waiting = room.poll(queue, { last, blocks: true })
    await parked()
    const { notice, publish } = announce('second')
    room.owner.takeNotice(notice)
    await parked()
    await applied(publish())
    expect(textsOf(await waiting)).toEqual(['second'])
  })
})

it('each event comes once, in order, whatever is told ahead, lost, repeated or read elsewhere', async () => {
  let appends = 0
  const store = (redis: ShardStore): ShardStore => ({
    ...redis,
    async append(...wanted) {
      appends += 1
      if (appends % 13 === 5) throw new EngineUnavailableError('redis')
      const outcome = await redis.append(...wanted)
      if (appends % 13 === 9) throw new EngineUnavailableError('redis')
      return outcome
    },
  })
  const queue = await openRoom(store)
  const received: string[] = []
  const told = { channels: [] as string[], identity: [] as string[] }
  let isOver = false
  let answers = 0
  let ahead = 0
  const reading = (async () => {
    let last = -1
    for (let polls = 0; !isOver; polls += 1) {
      const at = polls % 4 === 1 ? room.elsewhere : room.polls
      const answer = await room.poll(queue, { last, blocks: polls % 7 !== 6, at })
      // An answer that never arrives.
      if (polls % 5 === 4) continue
      for (const { id } of answer.events) {
        expect(id).toBeGreaterThan(last)
        last = id
      }
      received.push(...textsOf(answer))
      answers += 1
    }
  })()
  const tell = (text: string, source: 'channels' | 'identity') => {
    told[source].push(text)
    return announce(text, source)
  }
  for (let n = 0; n < 120; n += 1) {
    const { notice, publish } = tell(`message ${n}`, 'channels')
    if (n % 5 !== 0) {
      const before = room.polls.counts().parked
      room.owner.takeNotice(notice)
      if (room.polls.counts().parked < before) ahead += 1
    }
    if (n % 3 === 0) tell(`change ${n}`, 'identity').publish()
    if (n % 6 === 0) await room.owner.receive(room.fixture.log.records.slice(-1))
    publish()
    if (n % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 3))
    await room.fixture.apply(room.owner)
    // Now and then everything is read, and somebody waits for what comes next.
    if (n % 2 === 0) await eventually(() => expect(received).toContain(`message ${n}`))
  }
  const all = [...told.channels, ...told.identity]
  await eventually(() => expect(received).toHaveLength(all.length))
  isOver = true
  room.polls.drain()
  room.elsewhere.drain()
  await reading
  expect(received.filter((text) => text.startsWith('message'))).toEqual(told.channels)
  expect(received.filter((text) => text.startsWith('change'))).toEqual(told.identity)
  expect(ahead).toBeGreaterThan(10)
  expect(answers).toBeGreaterThan(40)
})
