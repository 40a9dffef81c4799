import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import { Client } from 'pg'

interface MigrateOptions {
  readonly databaseUrl: string
  /** Its own files are in services/<service>/migrations; those of this library run before them. */
  readonly service: string
  readonly log?: (line: string) => void
}

/** Milliseconds that a migration waits for a lock, so that it never queues all traffic behind itself. */
const lockTimeout = 5000

/** Held by the one process that migrates a database; released with its connection. */
const migrationLock = 509_001

const folders = (service: string): { table: string; dir: string }[] => {
  const candidates = [
    { table: 'migrations_house', dir: fileURLToPath(new URL('../migrations', import.meta.url)) },
    {
      table: 'migrations_service',
      dir: fileURLToPath(new URL(`../../../services/${service}/migrations`, import.meta.url)),
    },
  ]
  return candidates.filter(({ dir }) => existsSync(dir) && sqlFiles(dir).length > 0)
}

const sqlFiles = (dir: string): string[] =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.sql'))
    .sort()

/**
 * Brings a service's database to the schema of this checkout: numbered `.sql` files, each in a transaction, each
 * once. Two at a time wait for each other.
 */
export const migrate = async ({ databaseUrl, service, log = () => {} }: MigrateOptions): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl, application_name: 'migrate' })
  await client.connect()
  try {
    // Waits for as long as the other migration takes; only then does the time limit for locks begin.
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
    await client.query(`SET lock_timeout = ${lockTimeout}`)
    for (const { table, dir } of folders(service)) {
      await runner({
        dbClient: client,
        dir,
        direction: 'up',
        migrationsTable: table,
        ignorePattern: '(?!.*\\.sql$).*',
        singleTransaction: false,
        noLock: true,
        checkOrder: true,
        log,
        verbose: false,
      })
    }
  } finally {
    await client.end()
  }
}

/** Names of the files that this checkout has and the database has not run yet. */
export const pendingMigrations = async ({ databaseUrl, service }: MigrateOptions): Promise<string[]> => {
  const client = new Client({ connectionString: databaseUrl, application_name: 'migrate' })
  await client.connect()
  try {
    const pending: string[] = []
    for (const { table, dir } of folders(service)) {
      const exists = await client.query('SELECT to_regclass($1) AS found', [table])
      const done = new Set<string>()
      if (exists.rows[0].found !== null) {
        for (const row of (await client.query(`SELECT name FROM ${table}`)).rows) done.add(row.name)
      }
      pending.push(...sqlFiles(dir).filter((name) => !done.has(name.replace(/\.sql$/, ''))))
    }
    return pending
  } finally {
    await client.end()
  }
}
