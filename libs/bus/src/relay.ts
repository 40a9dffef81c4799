import { setTimeout as pause } from 'node:timers/promises'
import type { Database, Sql } from '@parley/db'
import { notifier } from '@parley/db/notifier'
import { advanceNotices, type Tell } from './advance-notices.ts'
import type { Bus, Log } from './bus.ts'
import { watchOutbox } from './outbox-metrics.ts'
import { relayAlarm } from './relay-alarm.ts'
import { lead } from './relay-leadership.ts'
import { openLedger } from './relay-ledger.ts'
import { relayPublisher } from './relay-publisher.ts'
import type { AudienceResolver } from './relay-records.ts'

/** The session lock that one relay of a database holds. */
const relayLock = 509_002
/** Where the active relay, in whichever process, is told that something was committed. */
const notificationChannel = 'outbox'
/** The server ends the session of a relay that gives no sign of life, so that another one can take over. */
const longestSilence = '5s'
/** Milliseconds between looks at whether the lock is free, and before a relay that lost its session stands by again. */
const standByPause = 300
/** The server's limit for one statement; a connection that is silent for a little longer is taken for lost. */
const statementMilliseconds = 10_000

/** Milliseconds that a stop waits for the batch in flight: a Kafka that is away must not use up a shutdown's time. */
const longestFarewell = 3000

export interface Relay {
  /** Ends after the batch in flight; without it when that takes long: then a successor repeats it. */
  stop(): Promise<void>
}

/**
 * Carries a database's outbox to Kafka: everything committed, in the order of each key's commits, once.
 *
 * One relay per database is active (a session lock); others stand by. A batch is recorded in the database before it is
 * published and forgotten with the recording of a later one, so a successor repeats exactly what may or may not have
 * been published, under the same sequence numbers. An announcement that can never be published goes to the dead
 * letters; an engine that is away is waited for.
 */
export const startRelay = async (options: {
  database: Database
  bus: Bus
  log: Log
  clientEvents: { partitions: number }
  resolvers: Record<string, AudienceResolver>
  /** Where client events that go alone are told in advance; nowhere unless given. */
  tell?: Tell | undefined
}): Promise<Relay> => {
  const { database, bus, log, clientEvents, resolvers, tell } = options
  const stop = new AbortController()
  const alarm = relayAlarm()
  let isActive = false

  const notifyOthers = notifier(database, notificationChannel)
  const forgetCommits = database.onCommit(() => (isActive ? alarm.tell() : notifyOthers()))
  const forgetOutbox = watchOutbox(bus.service, database)
  const making = { source: bus.service, partitions: clientEvents.partitions, resolvers }
  const producer = bus.orderedProducer()

  const takePart = async (sql: Sql): Promise<void> => {
    const backend = await lockOf(sql, stop.signal)
    if (backend === undefined) return
    await sql`SELECT set_config('idle_session_timeout', ${longestSilence}, false),
                     -- The outbox is full or empty whenever statistics say the opposite.
                     set_config('enable_seqscan', 'off', false)`
    await sql.listen(notificationChannel, alarm.tell)
    isActive = true
    log.info({ service: bus.service }, 'relay: active')
    try {
      const ledger = openLedger(sql, backend)
      const notices = tell && advanceNotices(bus.service, tell)
      const publisher = relayPublisher(bus, producer, making, notices)
      await lead({ ledger, publisher, alarm, loans: bus.loans, log, stop: stop.signal })
    } finally {
      isActive = false
    }
  }

  const live = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const session = database.dedicated({ statementMilliseconds })
      try {
        await takePart(session)
      } catch (error) {
        if (stop.signal.aborted) break
        log.warn({ err: error }, 'relay: standing by again')
        await pause(standByPause, undefined, { signal: stop.signal }).catch(() => {})
      } finally {
        await session.end({ timeout: 1 }).catch(() => {})
      }
    }
    await producer.close().catch(() => {})
  }

  const living = live()
  return {
    async stop() {
      stop.abort()
      forgetCommits()
      forgetOutbox()
      alarm.ring()
      await Promise.race([living, pause(longestFarewell, undefined, { ref: false })])
    },
  }
}

/**
 * Waits for the relay's lock, and answers the server's process that holds it; undefined when stopped before. Asks again
 * and again: a statement that waits in the server would be deaf to a network that is gone.
 */
const lockOf = async (sql: Sql, stop: AbortSignal): Promise<number | undefined> => {
  while (!stop.aborted) {
    const [lock] = await sql<[{ is_ours: boolean; backend: number }]>`
      SELECT pg_try_advisory_lock(${relayLock}) AS is_ours, pg_backend_pid() AS backend`
    if (lock.is_ours) return lock.backend
    await pause(standByPause, undefined, { signal: stop }).catch(() => {})
  }
  return undefined
}
