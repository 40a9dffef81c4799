import { Audience, EngineUnavailableError } from '@parley/contracts'
import type { Database } from '@parley/db'
import { Counter, Histogram } from 'prom-client'
import type { Bus, Log, OrderedProducer, OutgoingRecord } from './bus.ts'
import { clientEventsTopic, splitByShard } from './client-events.ts'
import { type FixedRow, fixNextBatch, recordedBatch } from './relay-store.ts'
import { sequenceOf } from './sequence.ts'
import { producerSpan } from './trace.ts'

/** Writes out a set of users that an announcement names instead of listing. */
export type AudienceResolver = (args: Record<string, unknown>) => Promise<readonly number[]>

const published = new Counter({ name: 'parley_outbox_published_total', help: 'Announcements published.' })
const outboxAge = new Histogram({
  name: 'parley_outbox_age_seconds',
  help: 'Time between an announcement being written and being published.',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30, 300],
})

/** Milliseconds between looks at the outbox when nobody rings; only a lost ring makes it matter. */
const fallbackPoll = 500
const notifyChannel = 'outbox'
/** The session lock that one relay of a database holds. */
const relayLock = 509_002

export interface Relay {
  /** Ends after the batch in flight. */
  stop(): Promise<void>
}

/** A latch that stays rung until somebody waits for it. */
const bell = () => {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring: () => {
      rung = true
      wake?.()
    },
    wait: async (milliseconds: number): Promise<void> => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      rung = false
      wake = undefined
    },
  }
}

/**
 * Carries a database's outbox to Kafka: everything committed, in the order of each key's commits, once.
 *
 * One relay per database is active (a session lock); others stand by. A batch is fixed in the database before it is
 * produced and deleted with the fixing of the next one, so a successor repeats exactly what may or may not have been
 * published, under the same sequence numbers.
 */
export const startRelay = async (options: {
  database: Database
  bus: Bus
  log: Log
  clientEvents: { partitions: number }
  resolvers: Record<string, AudienceResolver>
}): Promise<Relay> => {
  const { database, bus, log, clientEvents, resolvers } = options
  const wakeUp = bell()
  let stopping = false
  let active = false

  // A commit in this process rings directly; when another process is active it is told, at most one call at a time.
  let telling = false
  let tellAgain = false
  const tellOthers = (): void => {
    tellAgain = true
    if (telling) return
    telling = true
    void (async () => {
      while (tellAgain) {
        tellAgain = false
        await database.sql`SELECT pg_notify(${notifyChannel}, '')`.catch(() => {})
      }
      telling = false
    })()
  }
  const forgetCommits = database.onCommit(() => (active ? wakeUp.ring() : tellOthers()))

  const usersOf = async (audience: Audience): Promise<readonly number[]> => {
    const listed = audience.users ?? []
    if (audience.resolve === undefined) return listed
    const resolver = resolvers[audience.resolve.name]
    if (resolver === undefined) throw new Error(`no audience is called ${audience.resolve.name}`)
    const members = await resolver(audience.resolve.args)
    return listed.length === 0 ? members : [...new Set([...listed, ...members])]
  }

  const recordsOf = async (
    row: FixedRow,
    batch: number,
  ): Promise<{ topic: string; records: OutgoingRecord[] }> => {
    const { span, traceparent } = producerSpan(row.topic, row.traceparent)
    const headers: Record<string, string> = {
      source: bus.service,
      seq: String(sequenceOf(batch, row.index)),
      ...(traceparent === undefined ? {} : { traceparent }),
    }
    try {
      if (row.topic !== clientEventsTopic) {
        const value = row.value === 'null' ? null : row.value
        return { topic: row.topic, records: [{ key: row.key, value, headers }] }
      }
      const audience = Audience.parse(row.audience)
      const split = splitByShard(
        {
          audience,
          users: await usersOf(audience),
          source: bus.service,
          xid: row.xid,
          at: row.at,
          event: row.value,
        },
        clientEvents.partitions,
      )
      return {
        topic: row.topic,
        records: split.map(({ partition, value }) => ({ key: row.key, value, partition, headers })),
      }
    } finally {
      span?.end()
    }
  }

  const publish = async (
    producer: OrderedProducer,
    batch: number,
    rows: readonly FixedRow[],
  ): Promise<void> => {
    const byTopic = new Map<string, OutgoingRecord[]>()
    for (const { topic, records } of await Promise.all(rows.map((row) => recordsOf(row, batch)))) {
      const known = byTopic.get(topic)
      if (known === undefined) byTopic.set(topic, records)
      else known.push(...records)
    }
    const topics = [...byTopic]
      .map(([topic, records]) => ({ topic, records }))
      .filter((t) => t.records.length > 0)
    if (topics.length > 0) await producer.send(topics)
    published.inc(rows.length)
    const now = Date.now()
    for (const row of rows) outboxAge.observe(Math.max(0, now - row.at) / 1000)
  }

  /** Tries until it succeeds: an engine that is away delays announcements, it never loses them. */
  const persistently = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    for (let pause = 50; !stopping; pause = Math.min(pause * 2, 2000)) {
      try {
        return await work()
      } catch (error) {
        log.warn({ err: error, retryInMilliseconds: pause }, `relay: ${what}`)
        if (isConnectionLost(error)) throw error
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
    return undefined
  }

  /** The life of the active relay, until it is stopped, or its connection (and with it the lock) is lost. */
  const lead = async (
    session: ReturnType<Database['dedicated']>,
    producer: OrderedProducer,
  ): Promise<void> => {
    const listening = await session.listen(notifyChannel, wakeUp.ring)
    try {
      let { batch, rows } = await recordedBatch(session)
      while (!stopping) {
        if (rows.length > 0) {
          const current = { batch, rows }
          await persistently('publishing', () => publish(producer, current.batch, current.rows))
          if (stopping) return
        }
        const next = await fixNextBatch(session, batch, rows)
        if (next === undefined) {
          log.warn({ batch }, 'relay: another relay has taken over')
          return
        }
        ;({ batch, rows } = next)
        if (rows.length === 0) await wakeUp.wait(fallbackPoll)
      }
    } finally {
      await listening.unlisten().catch(() => {})
    }
  }

  const life = async (): Promise<void> => {
    const producer = await bus.orderedProducer()
    while (!stopping) {
      const session = database.dedicated()
      try {
        const lock = session`SELECT pg_advisory_lock(${relayLock})`
        standBy = { cancel: () => lock.cancel() }
        await lock
        standBy = undefined
        active = true
        log.info({ service: bus.service }, 'relay: active')
        await lead(session, producer)
      } catch (error) {
        if (!stopping) {
          log.warn({ err: error }, 'relay: starting over')
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
      } finally {
        active = false
        standBy = undefined
        await session.end({ timeout: 1 }).catch(() => {})
      }
    }
    await producer.close()
  }

  let standBy: { cancel(): void } | undefined
  const living = life()
  return {
    async stop() {
      stopping = true
      forgetCommits()
      wakeUp.ring()
      standBy?.cancel()
      await living
    },
  }
}

const isConnectionLost = (error: unknown): boolean =>
  error instanceof EngineUnavailableError && error.engine === 'postgres'
