import { randomBytes } from 'node:crypto'
import { type TopicDeclaration, topic } from '@parley/contracts'
import type { Database } from '@parley/db'
import { type OwnDatabase, ownDatabase } from '@parley/testkit/own-database'
import { z } from 'zod'
import { type Bus, openBus } from '../bus.ts'
import { type DeadLetter, deadLettersTopic } from '../dead-letters.ts'
import { readPartition } from '../read-partition.ts'
import type { ReceivedRecord } from '../received-record.ts'
import { createTopics } from '../topics.ts'

/** How often an entity has changed. */
export const Change = z.object({ n: z.int() })
export type Change = z.infer<typeof Change>

export const clientEventsPartitions = Number(process.env.CLIENT_EVENTS_PARTITIONS || 4)

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** A database and topics of one test file's own, on the engines of the test run. */
export interface KafkaRoom {
  readonly brokers: string[]
  readonly bus: Bus
  readonly database: Database
  readonly databaseUrl: string
  /** A name that nobody else has. */
  name(what: string): string
  topic(wishes?: { compacted?: boolean; partitions?: number }): Promise<TopicDeclaration<Change>>
  /** All records, those of each partition in order. */
  read(topic: string): Promise<ReceivedRecord[]>
  /** What a consumer has set aside, oldest first. */
  deadLetters(consumer: string): Promise<DeadLetter[]>
  /** Counts a change of an entity and announces the count, as one transaction. */
  change(topic: TopicDeclaration<Change>, entity: number): Promise<void>
  close(): Promise<void>
}

export const openKafkaRoom = async (): Promise<KafkaRoom> => {
  const brokers = process.env.KAFKA_BROKERS!.split(',')
  const own: OwnDatabase = await ownDatabase('gateway')
  await own.database.sql`CREATE TABLE entities (id int PRIMARY KEY, n int NOT NULL DEFAULT 0)`
  const bus = await openBus({ brokers, service: 'gateway', log: silent })
  const admin = bus.kafka.admin()
  await admin.connect()
  const made: string[] = []
  const name = (what: string): string => `test.${what}.${randomBytes(5).toString('hex')}`

  const read = async (from: string): Promise<ReceivedRecord[]> => {
    const records: ReceivedRecord[] = []
    for (const { partition, start, end } of await bus.ranges(from)) {
      const place = { topic: from, partition, from: start, to: end }
      await readPartition(bus.kafka, admin, place, (record) => records.push(record))
    }
    return records
  }

  return {
    brokers,
    bus,
    database: own.database,
    databaseUrl: own.url,
    name,
    read,
    async topic({ compacted = false, partitions = 2 } = {}) {
      const declared = topic(name('topic'), { value: Change, compacted, partitions })
      await createTopics({
        brokers,
        partitions: clientEventsPartitions,
        replication: 1,
        declared: [declared],
      })
      made.push(declared.name)
      return declared
    },
    deadLetters: async (consumer) =>
      (await read(deadLettersTopic))
        .filter(({ key }) => key === consumer)
        .map(({ value }) => JSON.parse(value!) as DeadLetter),
    change: (changed, entity) =>
      own.database.transaction(async (tx) => {
        const [row] = await tx.sql<[{ n: number }]>`
          INSERT INTO entities (id, n) VALUES (${entity}, 1)
          ON CONFLICT (id) DO UPDATE SET n = entities.n + 1 RETURNING n`
        tx.enqueue({ topic: changed.name, key: String(entity), value: JSON.stringify({ n: row.n }) })
      }),
    async close() {
      if (made.length > 0) await admin.deleteTopics({ topics: made })
      await admin.disconnect()
      await bus.close()
      await own.drop()
    },
  }
}
