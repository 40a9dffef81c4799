import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { EngineUnavailableError, type TopicDeclaration } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { clientEventRow, clientEventsTopic, readClientEvent } from './client-events.ts'
import type { ReceivedRecord } from './received-record.ts'
import { type Relay, startRelay } from './relay.ts'
import { isRepeated, type SeenSequences } from './sequence.ts'
import { type Change, clientEventsPartitions, type KafkaRoom, openKafkaRoom } from './testing/kafka-room.ts'

let room: KafkaRoom
const relays: Relay[] = []
const children: ChildProcess[] = []
beforeAll(async () => {
  room = await openKafkaRoom()
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await Promise.all(relays.splice(0).map((relay) => relay.stop()))
  await room.database.sql`TRUNCATE entities`
})
afterAll(() => room.close())

const relay = async (
  resolvers: Record<string, (args: Record<string, unknown>) => Promise<number[]>> = {},
): Promise<Relay> => {
  const started = await startRelay({
    database: room.database,
    bus: room.bus,
    log: room.bus.log,
    clientEvents: { partitions: clientEventsPartitions },
    resolvers,
  })
  relays.push(started)
  return started
}

/** A relay in another process, which is signalled before or after it hands its n-th request to Kafka. */
const relayProcess = async (moment: { MOMENT: string; REQUEST: string; SIGNAL: string }) => {
  const script = new URL('testing/relay-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: room.databaseUrl,
      KAFKA_BROKERS: room.brokers.join(),
      ...moment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  await once(child.stdout!, 'data')
  return child
}

const publishedAll = () =>
  eventually(async () => expect(await room.database.sql`SELECT FROM outbox`).toHaveLength(0))

/** What a consumer that keeps the highest number sees, by key. */
const countsByKey = (records: readonly ReceivedRecord[]): Record<string, number[]> => {
  const seen = new Map<number, SeenSequences>()
  const counts: Record<string, number[]> = {}
  for (const record of records) {
    const sequences = seen.get(record.partition) ?? {}
    seen.set(record.partition, sequences)
    if (isRepeated(sequences, record)) continue
    const key = record.key!
    counts[key] = [...(counts[key] ?? []), (JSON.parse(record.value!) as Change).n]
  }
  return counts
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)

const changeMany = (topic: TopicDeclaration<Change>, entities: number, times: number) =>
  Promise.all(
    Array.from({ length: entities }, async (_, entity) => {
      for (let n = 0; n < times; n += 1) await room.change(topic, entity)
    }),
  )

describe('what commits is published once, in the order of each key', () => {
  it('with many writers of the same entities, of which some change their mind', async () => {
    const topic = await room.topic()
    await relay()
    const [writers, entities, times] = [8, 5, 20]
    const rolledBack = async (entity: number) => {
      const failed = room.database.transaction(async (tx) => {
        await tx.sql`UPDATE entities SET n = n + 1 WHERE id = ${entity}`
        tx.enqueue({ topic: topic.name, key: String(entity), value: '{"n":0}' })
        throw new Error('changed my mind')
      })
      await expect(failed).rejects.toThrow('changed my mind')
    }
    await Promise.all(
      Array.from({ length: writers }, async () => {
        for (let n = 0; n < times; n += 1) {
          await room.change(topic, n % entities)
          if (n % 3 === 0) await rolledBack(n % entities)
        }
      }),
    )
    await publishedAll()
    const records = await room.read(topic.name)
    expect(records).toHaveLength(writers * times)
    const each = upTo((writers * times) / entities)
    expect(countsByKey(records)).toEqual(Object.fromEntries(upTo(entities).map((n) => [n - 1, each])))
  })

  it('when its process is killed between Kafka and the ledger: the successor repeats to the letter', async () => {
    const topic = await room.topic({ partitions: 1 })
    const child = await relayProcess({ MOMENT: 'after', REQUEST: '2', SIGNAL: 'SIGKILL' })
    const death = once(child, 'exit')
    await room.change(topic, 9)
    await published(topic, 1)
    await changeMany(topic, 4, 11)
    await death
    await relay()
    await changeMany(topic, 4, 1)
    await publishedAll()
    const records = await room.read(topic.name)
    const repeated = repetitions(records)
    expect(repeated.length).toBeGreaterThan(0)
    for (const [first, again] of repeated) {
      const { offset: _, headers: __, ...content } = again!
      expect(first).toMatchObject(content)
    }
    expect(countsByKey(records)).toEqual({ 0: upTo(12), 1: upTo(12), 2: upTo(12), 3: upTo(12), 9: [1] })
  })

  it('when its process is killed before Kafka has what it recorded', async () => {
    const topic = await room.topic({ partitions: 1 })
    const child = await relayProcess({ MOMENT: 'before', REQUEST: '1', SIGNAL: 'SIGKILL' })
    const death = once(child, 'exit')
    await changeMany(topic, 3, 5)
    await death
    expect(await room.read(topic.name)).toEqual([])
    await relay()
    await publishedAll()
    const records = await room.read(topic.name)
    expect(repetitions(records)).toEqual([])
    expect(countsByKey(records)).toEqual({ 0: upTo(5), 1: upTo(5), 2: upTo(5) })
  })

  it('when a leader that was suspended wakes up after its successor has gone on', async () => {
    const topic = await room.topic({ partitions: 1 })
    const old = await relayProcess({ MOMENT: 'before', REQUEST: '2', SIGNAL: 'SIGSTOP' })
    await room.change(topic, 9)
    await published(topic, 1)
    await changeMany(topic, 3, 2)
    await relay()
    // The server ends the session of the silent one, and the other takes over.
    await publishedAll()
    await changeMany(topic, 3, 3)
    await publishedAll()
    const before = await room.read(topic.name)
    expect(repetitions(before)).toEqual([])
    old.kill('SIGCONT')
    const records = await eventually(async () => {
      const now = await room.read(topic.name)
      expect(now.length).toBeGreaterThan(before.length)
      return now
    })
    const [[, late]] = repetitions(records) as [[ReceivedRecord, ReceivedRecord]]
    expect(before.at(-1)!.seq).toBeGreaterThan(late.seq!)
    expect(countsByKey(records)).toEqual({ 0: upTo(5), 1: upTo(5), 2: upTo(5), 9: [1] })
    // It is told that it leads no more, and what comes goes through the successor only.
    await changeMany(topic, 3, 1)
    await publishedAll()
    expect((await room.read(topic.name)).length).toBe(records.length + 3)
  })
})

describe('one relay of a database is active', () => {
  it('and another takes over when it stops', async () => {
    const topic = await room.topic()
    const first = await relay()
    await relay()
    await changeMany(topic, 2, 5)
    await publishedAll()
    await first.stop()
    await changeMany(topic, 2, 5)
    await publishedAll()
    const records = await room.read(topic.name)
    expect(records).toHaveLength(20)
    expect(countsByKey(records)).toEqual({ 0: upTo(10), 1: upTo(10) })
  })
})

it('a stop does not wait for a Kafka that is away', async () => {
  const topic = await room.topic()
  const { promise: sending, resolve: onSend } = Promise.withResolvers<void>()
  const { promise: back, reject: giveUp } = Promise.withResolvers<never>()
  const send = (): Promise<never> => {
    onSend()
    return back
  }
  const stopped = await startRelay({
    database: room.database,
    bus: { ...room.bus, orderedProducer: () => ({ send, close: async () => {} }) },
    log: room.bus.log,
    clientEvents: { partitions: clientEventsPartitions },
    resolvers: {},
  })
  await room.change(topic, 1)
  await sending
  await stopped.stop()
  giveUp(new EngineUnavailableError('kafka'))
  // What it had recorded is published by whoever comes next.
  await relay()
  await eventually(async () => expect(await room.read(topic.name)).toHaveLength(1))
})

describe('a client event', () => {
  const realm = 2 ** 40 + randomInt(2 ** 40)
  const own = async () =>
    (await room.read(clientEventsTopic))
      // Others write to this topic of the run as well, and not all of it as a relay would.
      .filter((record) => record.value?.includes(`"realm":${realm}`))
      .map((record) => ({ ...record, ...readClientEvent(record.value!) }))
      .filter(({ envelope }) => envelope.realm === realm)

  it('becomes one record per shard of its recipients; one that nobody can make is set aside, with the reason', async () => {
    await relay({ team: async ({ id }) => [Number(id), Number(id) + clientEventsPartitions] })
    const event = { type: 'test', text: 'ü' }
    const row = (audience: object) => clientEventRow({ audience: { realm, ...audience } as never, event })
    await room.database.transaction(async (tx) => {
      tx.enqueue(row({ users: [1], resolve: { name: 'nobody', args: {} } }))
      tx.enqueue(row({ users: [1, 2], personal: { 2: { flags: ['read'] } } }))
      tx.enqueue(row({ users: [1], resolve: { name: 'team', args: { id: 1 } } }))
      tx.enqueue(row({ everyone: true }))
    })
    await publishedAll()
    const records = await own()
    const told = records.map(({ partition, envelope }) => [partition, envelope.users ?? 'everyone'])
    const shard = (user: number) => user % clientEventsPartitions
    expect(told.toSorted()).toEqual(
      [
        [shard(1), [1]],
        [shard(2), [2]],
        [shard(1), [1, 1 + clientEventsPartitions]],
        ...upTo(clientEventsPartitions).map((n) => [n - 1, 'everyone']),
      ].toSorted(),
    )
    expect(records.every(({ event: text }) => text === JSON.stringify(event))).toBe(true)
    expect(records.flatMap(({ envelope }) => (envelope.personal ? [envelope] : []))).toMatchObject([
      { users: [2], personal: { 2: { flags: ['read'] } } },
    ])
    const letters = await room.deadLetters('gateway.relay')
    expect(letters.at(-1)).toMatchObject({ attempts: 5, reason: 'Error: no audience is called nobody' })
  })
})

describe('trace context', () => {
  it('rides in the row and in the headers', async () => {
    const topic = await room.topic({ partitions: 1 })
    await relay()
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await room.database.sql`
      INSERT INTO outbox (topic, key, value, traceparent) VALUES (${topic.name}, '1', '{"n":1}', ${traceparent})`
    room.database.committed()
    await publishedAll()
    const [record] = await room.read(topic.name)
    expect(record!.headers).toMatchObject({ source: 'gateway', seq: String(record!.seq), traceparent })
  })
})

/** Pairs of records that have the same number. */
function repetitions(records: readonly ReceivedRecord[]): ReceivedRecord[][] {
  return [...Map.groupBy(records, ({ seq }) => seq).values()].filter((same) => same.length > 1)
}

/** Waits until Kafka has so many records. */
function published(topic: TopicDeclaration<Change>, count: number): Promise<void> {
  return eventually(async () => {
    const ranges = await room.bus.ranges(topic.name)
    expect(ranges.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(count)
  })
}
