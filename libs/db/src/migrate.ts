import { setTimeout as pause } from 'node:timers/promises'
import { type MigrationBuilder, runner } from 'node-pg-migrate'
import { Client } from 'pg'
import { type MigrationFolder, migrationFolders, readMigration } from './migration-files.ts'
import { typed } from './postgres-errors.ts'

interface MigrateOptions {
  readonly databaseUrl: string
  /** Its own files are in services/<service>/migrations; those of this library run before them. */
  readonly service: string
  readonly log?: (line: string) => void
}

/** Milliseconds that a migration waits for a lock, so that it never queues all traffic behind itself. */
const lockTimeout = 5000
/** How often a file that did not get its locks is tried. */
const maxAttempts = 10
/** PostgreSQL's lock_not_available. */
const lockNotAvailable = '55P03'

/** Held by the one process that migrates a database; released with its connection. */
const migrationLock = 509_001

/**
 * Brings a service's database to the schema of this checkout: numbered `.sql` files in the order of their names, each
 * once. Each is a transaction of its own, unless its first line is `-- no transaction` (a single statement then, such
 * as CREATE INDEX CONCURRENTLY). Two at a time wait for each other. A file that does not get a lock within five seconds
 * steps back, lets the traffic through, and is tried again.
 *
 * @throws EngineUnavailableError when Postgres is away; the error of a file that failed, which has left nothing behind.
 */
export const migrate = (options: MigrateOptions): Promise<void> =>
  connected(options.databaseUrl, async (client) => {
    // Waits for as long as the other migration takes; only then does the time limit for locks begin.
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
    await client.query(`SET lock_timeout = ${lockTimeout}`)
    for (const folder of migrationFolders(options.service)) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          await runFolder(client, folder, options.log)
          break
        } catch (error) {
          if ((error as { code?: string }).code !== lockNotAvailable || attempts === maxAttempts) throw error
          await client.query('ROLLBACK')
          options.log?.(`migrations wait for a lock: attempt ${attempts} of ${maxAttempts} gave way`)
          await pause(500)
        }
      }
    }
  })

/**
 * Names of the files that this checkout has and the database has not run yet, in order: a service must not serve on
 * them. Files that the database has and this checkout has not are no hindrance (a deployment on its way back).
 */
export const pendingMigrations = ({ databaseUrl, service }: MigrateOptions): Promise<string[]> =>
  connected(databaseUrl, async (client) => {
    const pending: string[] = []
    for (const { table, files } of migrationFolders(service)) {
      const exists = await client.query('SELECT to_regclass($1) AS found', [table])
      const done = new Set<string>()
      if (exists.rows[0].found !== null) {
        for (const row of (await client.query(`SELECT name FROM ${table}`)).rows) done.add(row.name)
      }
      pending.push(...files.filter((name) => !done.has(name.replace(/\.sql$/, ''))))
    }
    return pending
  })

const connected = async <T>(databaseUrl: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'migrate',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  })
  // A connection that breaks while nothing is asked on it is told here; the next query fails of it.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    throw typed(error)
  } finally {
    await client.end().catch(() => {})
  }
}

const runFolder = async (
  client: Client,
  { table, dir }: MigrationFolder,
  log: (line: string) => void = () => {},
): Promise<void> => {
  await runner({
    dbClient: client,
    dir,
    direction: 'up',
    migrationsTable: table,
    ignorePattern: '(?!.*\\.sql$).*',
    migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadMigrations }],
    singleTransaction: false,
    noLock: true,
    checkOrder: true,
    logger: { info: log, warn: log, error: log },
  })
}

const loadMigrations = async (paths: string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const { text, isTransaction } = await readMigration(path)
      return {
        id: path,
        filePaths: [path],
        actions: {
          up: (builder: MigrationBuilder) => {
            if (!isTransaction) builder.noTransaction()
            builder.sql(text)
          },
          // There is no way down: a released change is taken back by the next file.
          down: false as const,
        },
      }
    }),
  )
