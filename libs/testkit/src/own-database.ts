import { randomBytes } from 'node:crypto'
import type { ServiceName } from '@parley/contracts'
import { type Database, openDatabase, type Sql } from '@parley/db'
import { eventually } from './eventually.ts'
import { schemaTemplate } from './schema-template.ts'

export interface OwnDatabase {
  /** Migrated to the service's schema, and empty. */
  readonly database: Database
  readonly url: string
  /** Takes a lock by a statement, for whoever comes to meet it, until it is let go. */
  hold(lock: (sql: Sql) => PromiseLike<unknown>): Promise<{ letGo(): Promise<void> }>
  /** Waits until so many are held up by locks, or until `orElse` says that it is too late for that. */
  heldUp(count: number, orElse?: () => boolean): Promise<void>
  /** Closes and removes it. */
  drop(): Promise<void>
}

/**
 * A database of one test file, on the server that DATABASE_URL (an administrator's) names, so that files can run side by
 * side and none meets another's rows.
 */
export const ownDatabase = async (service: ServiceName): Promise<OwnDatabase> => {
  const adminUrl = process.env.DATABASE_URL
  if (adminUrl === undefined)
    throw new Error('DATABASE_URL is not set: run through npm test, or start a stack')
  const name = `test_${service.replaceAll('-', '_')}_${randomBytes(6).toString('hex')}`
  const administer = async (work: (sql: Sql) => Promise<unknown>): Promise<void> => {
    const administrator = await openDatabase({
      url: adminUrl,
      service: 'test',
      poolSize: 1,
      statementMilliseconds: 0,
    })
    try {
      await work(administrator.sql)
    } finally {
      await administrator.close()
    }
  }
  const url = Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href
  await administer(async (sql) =>
    sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${await schemaTemplate(sql, adminUrl, service)}`),
  )
  const database = await openDatabase({ url, service, poolSize: 10 })
  return {
    database,
    url,
    async hold(lock) {
      const session = database.dedicated()
      await session`BEGIN`
      await lock(session)
      return {
        async letGo() {
          await session`COMMIT`
          await session.end()
        },
      }
    },
    heldUp: (count, orElse = () => false) =>
      eventually(async () => {
        const [row] = await database.sql<[{ waiting: number }]>`
          SELECT count(*)::int AS waiting FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`
        if (row.waiting !== count && !orElse()) throw new Error(`${row.waiting} are held up, not ${count}`)
      }),
    drop: async () => {
      await database.close()
      await administer((sql) => sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`))
    },
  }
}
