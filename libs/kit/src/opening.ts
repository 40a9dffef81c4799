import { setTimeout as pause } from 'node:timers/promises'
import { type AudienceResolver, type Bus, currentTraceparent, openBus, startRelay } from '@parley/bus'
import type { AnyInternal, InputOf, OutputOf, ServiceName } from '@parley/contracts'
import { type Database, openDatabase } from '@parley/db'
import { pendingMigrations } from '@parley/db/migrate'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { tokenSigner } from './caller-token.ts'
import type { BaseConfig } from './config.ts'
import { engineWatch } from './engine-watch.ts'
import { internalClient } from './internal-client.ts'
import { openRedis, type RedisWish, teller } from './redis.ts'

interface Opened {
  readonly name: string
  ready(): Promise<void>
  close(): Promise<void>
}

/** What a service opens its engines with. Everything opened is watched by /ready and closed at shutdown. */
export interface Opening<Config> {
  readonly config: Config
  readonly log: Logger
  readonly service: ServiceName
  /** Resolves when the database has the schema that this version was written for: nothing is read or consumed before. */
  database(): Promise<Database>
  /** `needed: false` when the service serves without Kafka too, only less well: it stays ready then. */
  bus(options?: { needed?: boolean }): Promise<Bus>
  /** `needed` as with `bus`; the service also starts without Redis then. */
  redis(options?: RedisWish): Promise<Redis>
  /**
   * Carries this database's outbox to Kafka; `audiences` write out the sets that rows name. Through `publisher` client events
   * that go alone are told in advance.
   */
  relay(from: {
    database: Database
    bus: Bus
    audiences?: Record<string, AudienceResolver>
    publisher?: Redis
  }): Promise<void>
  /** Asks another service. */
  ask<I extends AnyInternal>(internal: I, input: InputOf<I>): Promise<OutputOf<I>>
  /** Registers anything else that must be ready before, and closed after, the service works. */
  own(opened: Opened): void
}

interface EngineConfig {
  DATABASE_URL?: string
  DATABASE_POOL?: number
  KAFKA_BROKERS?: string[]
  KAFKA_CA_FILE?: string
  KAFKA_USERNAME?: string
  KAFKA_PASSWORD?: string
  CLIENT_EVENTS_PARTITIONS?: number
  REDIS_URL?: string
}

export interface OpenedThings {
  readonly opened: Opened[]
}

const demand = <T>(value: T | undefined, setting: string): T => {
  if (value === undefined) throw new Error(`this service's config does not declare ${setting}`)
  return value
}

/** Milliseconds between looks at whether the migrations have run. */
const migrationPause = 500

/** A database that lacks what this version of the service was written for is not to be served from. */
const migrationCheck = (databaseUrl: string, service: ServiceName): (() => Promise<void>) => {
  let isDone = false
  return async () => {
    if (isDone) return
    const pending = await pendingMigrations({ databaseUrl, service })
    if (pending.length > 0) throw new Error(`migrations are pending: ${pending.join(', ')}`)
    isDone = true
  }
}

export const opening = <Config extends BaseConfig>(
  service: ServiceName,
  config: Config,
  log: Logger,
): Opening<Config> & OpenedThings => {
  const engines = config as Config & EngineConfig
  const opened: Opened[] = []
  const own = <T extends Opened>(thing: T): void => {
    opened.push(thing)
  }
  const ask = internalClient({ config, signer: tokenSigner(service, config.SIGNING_KEY) })
  return {
    service,
    config,
    log,
    opened,
    own,
    ask,
    database: async () => {
      const isMigrated = migrationCheck(demand(engines.DATABASE_URL, 'DATABASE_URL'), service)
      const database = await openDatabase({
        url: demand(engines.DATABASE_URL, 'DATABASE_URL'),
        poolSize: demand(engines.DATABASE_POOL, 'DATABASE_POOL'),
        service,
        log,
        traceparent: currentTraceparent,
        watch: engineWatch('postgresql', demand(engines.DATABASE_POOL, 'DATABASE_POOL')),
      })
      const ready = async (): Promise<void> => {
        await database.ready()
        await isMigrated()
      }
      own({ name: 'postgres', ready, close: () => database.close() })
      let isTold = false
      for (;;) {
        try {
          await isMigrated()
          return database
        } catch (error) {
          if (!isTold) log.warn({ err: error }, 'waiting for the schema')
          isTold = true
          await pause(migrationPause)
        }
      }
    },
    bus: async (options) => {
      const bus = await openBus({
        brokers: demand(engines.KAFKA_BROKERS, 'KAFKA_BROKERS'),
        caFile: engines.KAFKA_CA_FILE,
        username: engines.KAFKA_USERNAME,
        password: engines.KAFKA_PASSWORD,
        service,
        log,
      })
      const ready = options?.needed === false ? async () => {} : () => bus.ready()
      own({ name: 'kafka', ready, close: () => bus.close() })
      return bus
    },
    redis: async (options) => {
      const redis = await openRedis(demand(engines.REDIS_URL, 'REDIS_URL'), log, options)
      own({
        name: 'redis',
        ready: async () => {
          if (options?.needed !== false) await redis.ping()
        },
        close: async () => redis.disconnect(),
      })
      return redis
    },
    relay: async ({ database, bus, audiences, publisher }) => {
      const relay = await startRelay({
        database,
        bus,
        log,
        clientEvents: { partitions: demand(engines.CLIENT_EVENTS_PARTITIONS, 'CLIENT_EVENTS_PARTITIONS') },
        resolvers: audiences ?? {},
        tell: publisher && teller(publisher),
      })
      own({ name: 'outbox relay', ready: async () => {}, close: () => relay.stop() })
    },
  }
}
