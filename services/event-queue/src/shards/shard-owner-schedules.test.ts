/**
 * A shard under everything at once: queues open, settle, are read and end, events come, the sweep looks, another process
 * takes over, Redis forgets, in an order that nobody chose. Whoever reads sees what the log holds for it, from the first
 * record to the last, at every moment. `SCHEDULE_SEED` repeats the choices of a run, `SCHEDULES` makes more of them.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '@parley/testkit'
import { expect, it } from 'vitest'
import { recordEndId } from '../queues/event-ids.ts'
import type { QueueOpened } from '../queues/queue-records.ts'
import { type ShardFixture, saveShard, shardFixture } from '../testing/shard-fixture.ts'
import { TwoProcesses } from '../testing/two-processes.ts'

const seed = Number(process.env.SCHEDULE_SEED ?? Date.now() % 1e6)
const schedules = Number(process.env.SCHEDULES ?? 40)
const steps = 250
const users = [1, 2, 3, 4, 5]

/** A client with its queue, and what it ought to be told. */
interface Reader {
  readonly user: number
  readonly number: number
  readonly token: string
  isSettled: boolean
  /** Offsets of the records that are for it, of those that it has not been told to leave out. */
  expected: { offset: number; xid: number }[]
  lastSeen: number
  /** Failed, or closed because its account ended. */
  isOver: boolean
}

/** The ID that its client acknowledges. */
const acknowledgedBy = ({ number, lastSeen }: Reader): number | undefined =>
  lastSeen < 0 ? undefined : recordEndId(number, lastSeen)

const schedule = async (fixture: ShardFixture, random: () => number): Promise<string[]> => {
  const { log } = fixture
  const problems: string[] = []
  const ended = new Set<number>()
  const readers: Reader[] = []
  const background: Promise<unknown>[] = []
  let xid = 1000
  let forget: (() => Promise<void>) | undefined
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
  log.tick()
  const refuses = ({ user }: QueueOpened) => ended.has(user)
  const processes = new TwoProcesses(fixture, () => fixture.owner({ refuses }))
  await processes.settled()

  const read = async (reader: Reader): Promise<void> => {
    const { number, lastSeen } = reader
    const told = await fixture.unread(reader, acknowledgedBy(reader))
    if (reader.isOver || told === 'early' || told === 'ahead') return
    if (typeof told === 'string') {
      if (!ended.has(reader.user)) problems.push(`queue ${number} is '${told}'`)
      reader.isOver = true
      return
    }
    const due = reader.expected.filter(({ offset }) => offset > lastSeen).map(({ offset }) => offset)
    if (told.some((offset, place) => offset !== due[place])) {
      problems.push(`queue ${number} is told [${told}] instead of [${due}]`)
      reader.isOver = true
    }
    // An answer may get lost on its way: then the client asks for the same again.
    if (told.length > 0 && random() < 0.7)
      reader.lastSeen = Math.max(reader.lastSeen, told[Math.floor(random() * told.length)]!)
  }

  const acts: Record<string, [weight: number, act: () => unknown]> = {
    event: [
      8,
      () => {
        const one = pick(users)
        const to = users.filter((user) => user === one || random() < 0.4)
        xid += 1
        const offset = log.event({ type: 'alert_words', alert_words: [] }, { users: to }, { xid })
        for (const reader of readers) if (to.includes(reader.user)) reader.expected.push({ offset, xid })
      },
    ],
    open: [
      4,
      () => {
        const user = pick(users)!
        const isSettled = random() < 0.5
        const { number, token } = log.open({ user, settled: isSettled })
        readers.push({ user, number, token, isSettled, expected: [], lastSeen: -1, isOver: false })
      },
    ],
    settle: [
      4,
      () => {
        const reader = pick(readers.filter((one) => !one.isSettled))
        if (reader === undefined) return
        const xmax = xid - Math.floor(random() * 4)
        log.settle(reader.number, {
          channels: { types: ['alert_words'], snapshot: { xmin: xmax, xmax, xip: [] } },
        })
        reader.isSettled = true
        reader.expected = reader.expected.filter((event) => event.xid >= xmax)
      },
    ],
    feed: [10, () => processes.feed()],
    sweep: [6, () => background.push(processes.owner.sweep())],
    read: [8, () => background.push(...readers.filter(() => random() < 0.4).map(read))],
    'hand over': [1, () => processes.handOver()],
    save: [
      1,
      async () => {
        await processes.settled()
        forget = await saveShard(fixture)
      },
    ],
    forget: [
      1,
      async () => {
        await forget?.()
        forget = undefined
      },
    ],
    end: [
      1,
      () => {
        const user = pick(users.slice(3))!
        ended.add(user)
        background.push(processes.owner.closeRefused({ user }))
      },
    ],
    turn: [8, () => pause(random() * 3)],
  }
  // As often as its weight says.
  const choices = Object.values(acts).flatMap(([weight, act]) => Array.from({ length: weight }, () => act))
  for (let step = 0; step < steps; step += 1) await pick(choices)!()

  await processes.settled()
  await Promise.all(background)
  for (const reader of readers) {
    if (!reader.isSettled) log.settle(reader.number)
    reader.isSettled = true
  }
  await processes.settled()
  for (const reader of readers) {
    // Everything that was not acknowledged, to the last record.
    const due = reader.expected.filter(({ offset }) => offset > reader.lastSeen).map(({ offset }) => offset)
    const held = await fixture.unread(reader, acknowledgedBy(reader))
    const right = ended.has(reader.user) ? 'unknown' : due
    if (String(held) !== String(right)) problems.push(`queue ${reader.number} holds ${held}, not ${right}`)
  }
  return problems
}

it.each(Array.from({ length: schedules }, (_, place) => seed + place))(
  'every queue holds what the log holds for it, whatever comes between (SCHEDULE_SEED=%i)',
  async (one) => {
    const fixture = shardFixture()
    try {
      expect(await schedule(fixture, seededRandom(one))).toEqual([])
    } finally {
      await fixture.close()
    }
  },
)
