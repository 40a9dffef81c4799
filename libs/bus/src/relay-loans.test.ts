import type { TopicDeclaration } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ReceivedRecord } from './received-record.ts'
import { type Relay, startRelay } from './relay.ts'
import type { EnteredRow, Loan } from './relay-loans.ts'
import { isRepeated, type SeenSequences } from './sequence.ts'
import { type Change, type KafkaRoom, openKafkaRoom } from './testing/kafka-room.ts'

let room: KafkaRoom
const relays: Relay[] = []
beforeAll(async () => {
  room = await openKafkaRoom()
})
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()))
  await room.database.sql`TRUNCATE entities`
})
afterAll(() => room.close())

const relay = async (): Promise<Relay> => {
  const { database, bus } = room
  const started = await startRelay({
    database,
    bus,
    log: bus.log,
    clientEvents: { partitions: 4 },
    resolvers: {},
  })
  relays.push(started)
  return started
}

/** A relay lends what it has numbered once. */
const lendingRelay = async (topic: TopicDeclaration<Change>): Promise<Relay> => {
  const lender = await relay()
  await room.change(topic, 99)
  await publishedAll()
  return lender
}

const borrowed = (): Promise<Loan> =>
  eventually(async () => {
    const loan = room.bus.loans.borrow()
    expect(loan).toBeDefined()
    return loan!
  })

/** Counts a change of an entity, and enters its announcement; null when that could not be. */
const changeByLoan = async (
  topic: TopicDeclaration<Change>,
  entity: number,
  { account }: Loan,
): Promise<EnteredRow[] | null> => {
  const own = await room.database.sql.begin(async (sql) => {
    const [{ n }] = await sql<[{ n: number }]>`
      INSERT INTO entities (id, n) VALUES (${entity}, 1)
      ON CONFLICT (id) DO UPDATE SET n = entities.n + 1 RETURNING n`
    const rows = await sql<EnteredRow[]>`
      INSERT INTO outbox (topic, key, value) VALUES (${topic.name}, ${String(entity)}, ${JSON.stringify({ n })})
      RETURNING id, xid, topic, key, value, audience, traceparent, (date_part('epoch', created_at) * 1000)::bigint AS at`
    const [{ is_entered }] = await sql<[{ is_entered: boolean }]>`
      SELECT enter_announcements(${rows.map(({ id }) => id)}::bigint[], ${account.firstSeq}, ${account.size}) AS is_entered`
    return is_entered ? [...rows] : null
  })
  return own
}

const publishedAll = () =>
  eventually(async () => expect(await room.database.sql`SELECT FROM outbox`).toHaveLength(0))

/** What a consumer that keeps the highest number sees of the entities below 90, by key. */
const counts = async (topic: TopicDeclaration<Change>): Promise<Record<string, number[]>> => {
  const seen: SeenSequences = {}
  const told = (await room.read(topic.name)).filter((record) => !isRepeated(seen, record))
  const changes = told.filter(({ key }) => Number(key) < 90)
  const numbers = (records: readonly ReceivedRecord[]) =>
    records.map(({ value }) => (JSON.parse(value!) as Change).n)
  return Object.fromEntries(
    [...Map.groupBy(changes, ({ key }) => key!)].map(([key, own]) => [key, numbers(own)]),
  )
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)

describe('what a borrower of the account enters', () => {
  it('is published once and in the order of commits, among what the relay enters itself', async () => {
    const topic = await room.topic({ partitions: 1 })
    await lendingRelay(topic)
    let entered = 0
    const byLoans = async () => {
      for (let n = 0; n < 24; n += 1) {
        const loan = await borrowed()
        const rows = await changeByLoan(topic, n % 3, loan)
        loan.giveBack(rows ?? [])
        if (rows === null) room.database.committed()
        else entered += 1
      }
    }
    const byItself = async () => {
      for (let n = 0; n < 24; n += 1) {
        await room.change(topic, n % 3)
        if (n % 4 === 0) await publishedAll()
      }
    }
    await Promise.all([byLoans(), byItself()])
    await publishedAll()
    expect(await counts(topic)).toEqual({ 0: upTo(16), 1: upTo(16), 2: upTo(16) })
    expect(entered).toBeGreaterThan(3)
  })

  it('is not entered before what waits already', async () => {
    const topic = await room.topic({ partitions: 1 })
    await lendingRelay(topic)
    const loan = await borrowed()
    // Nobody rings: it waits until somebody looks.
    await room.database.sql`INSERT INTO entities (id, n) VALUES (1, 1)`
    await room.database.sql`INSERT INTO outbox (topic, key, value) VALUES (${topic.name}, '1', '{"n":1}')`
    expect(await changeByLoan(topic, 1, loan)).toBeNull()
    loan.giveBack([])
    room.database.committed()
    await publishedAll()
    expect(await counts(topic)).toEqual({ 1: [1, 2] })
  })

  it('is published by the successor when the borrower never comes back', async () => {
    const topic = await room.topic({ partitions: 1 })
    const lender = await lendingRelay(topic)
    expect(await changeByLoan(topic, 1, await borrowed())).toHaveLength(1)
    await lender.stop()
    await relay()
    await room.change(topic, 1)
    await publishedAll()
    expect(await counts(topic)).toEqual({ 1: [1, 2] })
  })

  it('is found again when nobody knows whether it was entered', async () => {
    const topic = await room.topic({ partitions: 1 })
    await lendingRelay(topic)
    const loan = await borrowed()
    expect(await changeByLoan(topic, 1, loan)).toHaveLength(1)
    loan.giveBack('unknown')
    await publishedAll()
    const other = await borrowed()
    other.giveBack('unknown')
    await room.change(topic, 1)
    await publishedAll()
    expect(await counts(topic)).toEqual({ 1: [1, 2] })
  })
})

describe('a borrower that takes its time', () => {
  it("delays nobody's announcements, and finds the account changed", async () => {
    const topic = await room.topic({ partitions: 1 })
    await lendingRelay(topic)
    const loan = await borrowed()
    await room.change(topic, 1)
    await publishedAll()
    expect(await changeByLoan(topic, 1, loan)).toBeNull()
    expect(room.bus.loans.borrow()).toBeUndefined()
    loan.giveBack([])
    room.database.committed()
    await publishedAll()
    expect(await counts(topic)).toEqual({ 1: [1, 2] })
    ;(await borrowed()).giveBack([])
  })

  it('and does not say what it entered is not needed for that: it is found, and published once', async () => {
    const topic = await room.topic({ partitions: 1 })
    await lendingRelay(topic)
    const loan = await borrowed()
    const rows = await changeByLoan(topic, 1, loan)
    await publishedAll()
    loan.giveBack(rows!)
    await room.change(topic, 1)
    await publishedAll()
    expect(await counts(topic)).toEqual({ 1: [1, 2] })
  })
})

it('an account whose numbers may be older than a restored backup is not lent', async () => {
  const topic = await room.topic({ partitions: 1 })
  await relay()
  const started = Date.now()
  while (Date.now() - started < 700) {
    expect(room.bus.loans.borrow()).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await room.change(topic, 1)
  ;(await borrowed()).giveBack([])
})
