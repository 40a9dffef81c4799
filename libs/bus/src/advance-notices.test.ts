import { randomInt } from 'node:crypto'
import { eventually } from '@parley/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AdvanceNotice, advanceNotices, type NumberedEvent, readNotice } from './advance-notices.ts'
import { clientEventRow, clientEventsTopic, readClientEvent, shardOf } from './client-events.ts'
import { type Relay, startRelay } from './relay.ts'
import { clientEventsPartitions, type KafkaRoom, openKafkaRoom } from './testing/kafka-room.ts'

let room: KafkaRoom
let told: (readonly [shard: number, notice: AdvanceNotice])[]
let relay: Relay | undefined
const realm = 2 ** 40 + randomInt(2 ** 40)

const start = async (): Promise<void> => {
  const { database, bus } = room
  relay = await startRelay({
    database,
    bus,
    log: bus.log,
    clientEvents: { partitions: clientEventsPartitions },
    resolvers: {},
    tell: (text) => told.push(...readNotice(text)),
  })
}
beforeAll(async () => {
  room = await openKafkaRoom()
})
afterEach(() => relay?.stop())
afterAll(() => room.close())

/** One transaction; resolves when the log has its events. */
const happen = async (...events: { users: number[]; text: string }[]): Promise<void> => {
  await room.database.transaction(async (tx) => {
    for (const { users, text } of events)
      tx.enqueue(clientEventRow({ audience: { realm, users }, event: { type: 'test', text } }))
  })
  await eventually(async () => expect(await room.database.sql`SELECT FROM outbox`).toHaveLength(0))
}

/** What the log has of these; others write to it as well. */
const records = async () =>
  (await room.read(clientEventsTopic)).filter(({ value }) => value?.includes(`"realm":${realm}`))
const textOf = ([, notice]: (typeof told)[number]): string =>
  (JSON.parse(readClientEvent(notice.value).event) as { text: string }).text

it('an event that goes alone is told as the log will have it, with the number of the one before it there', async () => {
  told = []
  await start()
  const [user, other] = [1, 2]
  await happen({ users: [user], text: 'nobody knows what was before' })
  await happen({ users: [other], text: 'nor in this shard' })
  expect(told).toEqual([])
  await happen({ users: [user], text: 'alone' })
  await happen({ users: [user, other], text: 'for two' })
  await happen({ users: [user], text: 'not' }, { users: [user], text: 'alone' })
  await happen({ users: [user], text: 'x'.repeat(40_000) })
  await happen({ users: [user], text: 'alone again' })
  expect(told.map(textOf)).toEqual(['alone', 'for two', 'for two', 'alone again'])
  const log = await records()
  for (const [shard, notice] of told) {
    const record = log.find(({ partition, value }) => partition === shard && value === notice.value)!
    expect(record.source).toBe(notice.source)
    const before = log.filter(
      ({ partition, offset }) => partition === record.partition && offset < record.offset,
    )
    expect(notice.after).toBe(before.at(-1)!.seq)
  }
  expect(new Set(told.map(([shard]) => shard))).toEqual(
    new Set([user, other].map((id) => shardOf(id, clientEventsPartitions))),
  )
})

it('a successor tells nothing of a shard before it has published there itself', async () => {
  told = []
  await start()
  await happen({ users: [1], text: 'first' })
  await happen({ users: [1], text: 'second' })
  await relay?.stop()
  await start()
  await happen({ users: [1], text: 'third' })
  await happen({ users: [1], text: 'fourth' })
  expect(told.map(textOf)).toEqual(['second', 'fourth'])
})

describe('nothing is told', () => {
  const event = (seq: number): NumberedEvent => [
    seq,
    [{ key: '1', partition: 3, value: `{"seq":${seq}}\n{"type":"test"}` }],
  ]
  const afters: number[] = []
  const notices = () => {
    afters.length = 0
    return advanceNotices('channels', (text) => {
      for (const [, { after }] of readNotice(text)) afters.push(after)
    })
  }

  it('of what Kafka has already, when it is repeated with something that failed', () => {
    const one = notices()
    one.published([event(9)])
    one.tell([event(10)])
    one.published([event(10)])
    one.tell([event(10)])
    expect(afters).toEqual([9])
    one.tell([event(11)])
    expect(afters).toEqual([9, 10])
  })

  it('after an announcement was given up, until its shard is known to be further', () => {
    const one = notices()
    one.published([event(9)])
    one.givenUp()
    one.tell([event(11)])
    expect(afters).toEqual([])
    one.published([event(11)])
    one.tell([event(12)])
    expect(afters).toEqual([11])
  })
})
