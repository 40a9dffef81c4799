import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { EngineUnavailableError, type TopicDeclaration } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { consumeEverywhere } from './consume-everywhere.ts'
import { consumeIntoDatabase, type Fact, type RunningConsumer } from './consume-into-database.ts'
import { consumeShards } from './consume-shards.ts'
import type { ReceivedRecord } from './received-record.ts'
import { replayDeadLetters } from './replay-dead-letters.ts'
import { type Change, type KafkaRoom, openKafkaRoom } from './testing/kafka-room.ts'

let room: KafkaRoom
const running: RunningConsumer[] = []
beforeAll(async () => {
  room = await openKafkaRoom()
  await room.database.sql`
    CREATE TABLE effects (
      id bigint GENERATED ALWAYS AS IDENTITY, consumer text NOT NULL, key text NOT NULL, n int NOT NULL
    )`
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((consumer) => consumer.stop()))
})
afterAll(() => room.close())

/** Publishes past the outbox, with numbers of a source if they are given. */
const publish = (topic: TopicDeclaration<Change>, key: string, value: string | null, seq?: number) =>
  room.bus.publish(topic.name, {
    key,
    value,
    partition: 0,
    ...(seq === undefined ? {} : { headers: { source: 'test', seq: String(seq) } }),
  })

const effects = async (consumer: string): Promise<[string, number][]> => {
  const rows = await room.database.sql<{ key: string; n: number }[]>`
    SELECT key, n FROM effects WHERE consumer = ${consumer} ORDER BY id`
  return rows.map(({ key, n }) => [key, n])
}

/** Writes each fact down, after `before` has had its say. */
const consume = async (
  topic: TopicDeclaration<Change>,
  name: string,
  before: (fact: Fact<Change>) => void | Promise<void> = () => {},
  concerns?: (change: Change) => boolean,
): Promise<RunningConsumer> => {
  const consumer = await consumeIntoDatabase({
    bus: room.bus,
    database: room.database,
    name,
    topic,
    async handle(tx, fact) {
      await tx.sql`INSERT INTO effects (consumer, key, n) VALUES (${name}, ${fact.key}, ${fact.value?.n ?? 0})`
      await before(fact)
    },
    ...(concerns === undefined ? {} : { concerns }),
  })
  running.push(consumer)
  return consumer
}

const expectEffects = (consumer: string, wanted: [string, number][]) =>
  eventually(async () => expect(await effects(consumer)).toEqual(wanted))

const changes = (key: string, count: number): [string, number][] =>
  Array.from({ length: count }, (_, n) => [key, n + 1])

describe('a consumer into a database', () => {
  it('has each effect once, in order, although its process is killed with an effect in hand', async () => {
    const topic = await room.topic({ partitions: 1 })
    const name = room.name('killed')
    await Promise.all(changes('a', 250).map(([key, n]) => publish(topic, key, JSON.stringify({ n }))))
    const script = new URL('testing/consumer-process.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [script], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: room.databaseUrl,
        KAFKA_BROKERS: room.brokers.join(),
        TOPIC: topic.name,
        CONSUMER: name,
        LAST: '150',
      },
      stdio: 'inherit',
    })
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
    const kept = await effects(name)
    expect([kept.length > 0, kept.length < 150]).toEqual([true, true])
    await consume(topic, name)
    await expectEffects(name, changes('a', 250))
  })

  it('begins where its database stands, and drops what a relay repeated', async () => {
    const topic = await room.topic({ partitions: 1 })
    const name = room.name('position')
    const first = await consume(topic, name)
    for (const [n, seq] of [
      [1, 10],
      [2, 11],
      [1, 10],
      [2, 11],
      [3, 12],
    ] as const)
      await publish(topic, 'a', JSON.stringify({ n }), seq)
    await expectEffects(name, changes('a', 3))
    await first.stop()
    await publish(topic, 'a', '{"n":3}', 12)
    await publish(topic, 'a', '{"n":4}', 13)
    await consume(topic, name)
    await expectEffects(name, changes('a', 4))
    const rows = await room.database.sql`
      SELECT next_offset, seqs FROM inbox WHERE consumer = ${name} AND topic = ${topic.name}`
    expect(rows).toEqual([{ next_offset: 7, seqs: { test: 13 } }])
  })

  it('passes over what does not concern it, and has the effects of the rest once', async () => {
    const topic = await room.topic({ partitions: 1 })
    const name = room.name('choosy')
    const isEven = ({ n }: Change): boolean => n % 2 === 0
    const publishTo = async (from: number, to: number) => {
      for (let n = from; n <= to; n += 1) await publish(topic, 'a', JSON.stringify({ n }), n)
    }
    const first = await consume(topic, name, () => {}, isEven)
    await publishTo(1, 5)
    await expectEffects(name, [
      ['a', 2],
      ['a', 4],
    ])
    await first.stop()
    await publishTo(5, 9)
    await consume(topic, name, () => {}, isEven)
    await expectEffects(
      name,
      [2, 4, 6, 8].map((n) => ['a', n]),
    )
    // A value that cannot be looked at is not passed over: it is kept for people to see.
    await publish(topic, 'a', 'no JSON', 10)
    await publishTo(11, 12)
    await expectEffects(
      name,
      [2, 4, 6, 8, 12].map((n) => ['a', n]),
    )
    expect(
      await room.database.sql`SELECT seqs FROM inbox WHERE consumer = ${name} AND topic = ${topic.name}`,
    ).toEqual([{ seqs: { test: 12 } }])
  })

  it('gives way when another process has moved the position', async () => {
    const topic = await room.topic({ partitions: 1 })
    const name = room.name('two')
    let isFirst = true
    await consume(topic, name, async ({ value }) => {
      if (value!.n !== 2 || !isFirst) return
      isFirst = false
      throw new EngineUnavailableError('postgres', { cause: new Error('away for a moment') })
    })
    await publish(topic, 'a', '{"n":1}')
    await expectEffects(name, changes('a', 1))
    // Somebody else has handled the next one meanwhile, as a successor does that this process does not know of.
    await room.database
      .sql`UPDATE inbox SET next_offset = 2 WHERE consumer = ${name} AND topic = ${topic.name}`
    await publish(topic, 'a', '{"n":2}')
    await publish(topic, 'a', '{"n":3}')
    await expectEffects(name, [
      ['a', 1],
      ['a', 3],
    ])
  })

  it('waits for an engine that is away, and blames no record for it', async () => {
    const topic = await room.topic({ partitions: 1 })
    const name = room.name('away')
    let isAway = true
    let attempts = 0
    await consume(topic, name, () => {
      attempts += 1
      if (isAway) throw new EngineUnavailableError('redis', { cause: new Error('away') })
    })
    await publish(topic, 'a', '{"n":1}')
    await eventually(() => expect(attempts).toBeGreaterThan(3))
    isAway = false
    await expectEffects(name, changes('a', 1))
    expect(await room.deadLetters(name)).toEqual([])
  })

  it('sets aside what fails five times or cannot be read, with the reason; a replay by command has its effect once', async () => {
    const topic = await room.topic({ partitions: 1 })
    const name = room.name('letters')
    const attempts = new Map<string, number>()
    let isBroken = true
    await consume(topic, name, ({ key }) => {
      attempts.set(key, (attempts.get(key) ?? 0) + 1)
      if (isBroken && key === 'bad') throw new RangeError('no room for it')
    })
    await publish(topic, 'good', '{"n":1}')
    await publish(topic, 'bad', '{"n":1}', 5)
    await publish(topic, 'odd', '{"m":1}')
    await publish(topic, 'good', '{"n":2}')
    await expectEffects(name, changes('good', 2))
    const [bad, odd] = await room.deadLetters(name)
    expect(bad).toMatchObject({
      key: 'bad',
      value: '{"n":1}',
      reason: 'RangeError: no room for it',
      attempts: 5,
    })
    expect(odd).toMatchObject({
      key: 'odd',
      attempts: 1,
      reason: expect.stringContaining('UnreadableRecord'),
    })

    isBroken = false
    const { brokers } = room
    expect(await replayDeadLetters({ brokers, consumer: name })).toEqual({ replayed: 2, outdated: 0, cut: 0 })
    await expectEffects(name, [...changes('good', 2), ['bad', 1]])
    // What fails again is a letter again; what was replayed is not replayed a second time.
    await eventually(async () => expect(await room.deadLetters(name)).toHaveLength(3))
    expect((await replayDeadLetters({ brokers, consumer: name })).replayed).toBe(1)
    await eventually(async () => expect(await room.deadLetters(name)).toHaveLength(4))
    expect(await effects(name)).toEqual([...changes('good', 2), ['bad', 1]])
  })

  it('does not replay a state that a newer one has replaced', async () => {
    const topic = await room.topic({ partitions: 1, compacted: true })
    const name = room.name('outdated')
    let isBroken = true
    await consume(topic, name, () => {
      if (isBroken) throw new Error('broken')
    })
    await publish(topic, 'old', '{"n":1}')
    await publish(topic, 'lasting', '{"n":1}')
    await eventually(async () => expect(await room.deadLetters(name)).toHaveLength(2))
    isBroken = false
    await publish(topic, 'old', '{"n":2}')
    const replayed = await replayDeadLetters({ brokers: room.brokers, consumer: name })
    expect(replayed).toEqual({ replayed: 1, outdated: 1, cut: 0 })
    await expectEffects(name, [
      ['old', 2],
      ['lasting', 1],
    ])
  })
})

describe('a consumer in every process', () => {
  it('gets the whole of a topic once, in order, in each of them, or only what is new', async () => {
    const topic = await room.topic({ partitions: 1, compacted: true })
    await publish(topic, 'a', '{"n":1}', 1)
    await publish(topic, 'b', null, 2)
    const seen: Record<string, [string, number | null][]> = { one: [], two: [], news: [] }
    const follow = async (process: string, from: 'beginning' | 'now') => {
      const consumer = await consumeEverywhere({
        bus: room.bus,
        name: room.name('everywhere'),
        topic,
        from,
        handle: (key, value) => void seen[process]!.push([key, value?.n ?? null]),
      })
      running.push(consumer)
      await consumer.caughtUp
    }
    await Promise.all([follow('one', 'beginning'), follow('two', 'beginning'), follow('news', 'now')])
    const old = [
      ['a', 1],
      ['b', null],
    ]
    expect(seen).toEqual({ one: old, two: old, news: [] })
    await publish(topic, 'c', '"not what the topic holds"', 3)
    await publish(topic, 'a', '{"n":1}', 1)
    await publish(topic, 'd', '{"n":4}', 4)
    const fresh = [['d', 4]]
    await eventually(() =>
      expect(seen).toEqual({ one: [...old, ...fresh], two: [...old, ...fresh], news: fresh }),
    )
  })
})

describe('an owner of shards', () => {
  it('begins where its store stands, reads again what it seeks, and sets aside what cannot be handled', async () => {
    const topic = await room.topic({ partitions: 2 })
    const name = room.name('shards')
    for (const [, n] of changes('a', 4)) await publish(topic, 'a', JSON.stringify({ n }))
    const handled: number[] = []
    let owned: readonly number[] = []
    const consumer = await consumeShards({
      bus: room.bus,
      name,
      topic: topic.name,
      onAssigned: async (partition) => (partition === 0 ? 2 : undefined),
      onOwned: (partitions) => {
        owned = partitions
      },
      handle: async (_, records: readonly ReceivedRecord[]) => {
        const counts = records.map(({ value }) => (JSON.parse(value!) as Change).n)
        if (counts.includes(7)) throw new Error('seven')
        handled.push(...counts)
      },
    })
    running.push(consumer)
    await eventually(() =>
      expect([handled, owned]).toEqual([
        [3, 4],
        [0, 1],
      ]),
    )
    consumer.seek(0, 3)
    await eventually(() => expect(handled).toEqual([3, 4, 4]))
    for (const n of [5, 7, 8]) await publish(topic, 'a', JSON.stringify({ n }))
    await eventually(() => expect(handled).toEqual([3, 4, 4, 5, 8]))
    expect(await room.deadLetters(name)).toMatchObject([
      { value: '{"n":7}', reason: 'Error: seven', attempts: 5 },
    ])
  })
})
