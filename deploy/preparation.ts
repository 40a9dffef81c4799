import { createBucket } from '@parley/blob/bucket'
import type { KafkaAccess } from '@parley/bus'
import { createTopics } from '@parley/bus/topics'
import type { ServiceName } from '@parley/contracts'
import { openDatabase, type Sql } from '@parley/db'
import { migrate } from '@parley/db/migrate'

/** The services that own a database. */
export const servicesWithDatabase = [
  'identity',
  'channels',
  'invitations',
  'uploads',
  'presence',
  'webhook-dispatcher',
] as const satisfies readonly ServiceName[]

export type ServiceWithDatabase = (typeof servicesWithDatabase)[number]

/** The variable that holds the URL of a service's database for those who know several: IDENTITY_DATABASE_URL. */
export function databaseVariable(service: ServiceWithDatabase): string {
  return `${service.toUpperCase().replaceAll('-', '_')}_DATABASE_URL`
}

export interface Preparation {
  /** URL of an administrator: makes databases and roles that are missing. Without it they must exist. */
  adminUrl?: string | undefined
  databaseUrls: Partial<Record<ServiceWithDatabase, string>>
  /** `partitions` are those of client-events. */
  topics?: KafkaAccess & { partitions: number; replication: number }
  bucket?: { endpoint: string; accessKey: string; secretKey: string; region: string; name: string }
}

/** Puts in place what the services find: databases, roles, tables, topics, bucket. Can be repeated. */
export async function prepareEngines(preparation: Preparation): Promise<void> {
  const { topics, bucket } = preparation
  await Promise.all([
    prepareDatabases(preparation),
    topics && createTopics(topics),
    bucket && createBucket(bucket),
  ])
}

async function prepareDatabases({ adminUrl, databaseUrls }: Preparation): Promise<void> {
  const databases = Object.entries(databaseUrls) as [ServiceWithDatabase, string][]
  if (adminUrl !== undefined) {
    const administrator = await openDatabase({ url: adminUrl, service: 'prepare', poolSize: 1 })
    try {
      for (const [, url] of databases) await createDatabase(administrator.sql, url)
    } finally {
      await administrator.close()
    }
  }
  await Promise.all(databases.map(([service, databaseUrl]) => migrate({ databaseUrl, service })))
}

/** Makes the role and the database that `url` names, and sets the role's password to the one in it. */
async function createDatabase(sql: Sql, url: string): Promise<void> {
  const { username, password, pathname } = new URL(url)
  const [role, database] = [decodeURIComponent(username), decodeURIComponent(pathname.slice(1))]
  const [known] = await sql<{ role: boolean; database: boolean; superuser: boolean }[]>`
    SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = ${role}) AS role,
           EXISTS (SELECT FROM pg_database WHERE datname = ${database}) AS database,
           current_setting('is_superuser')::boolean AS superuser`
  // Names and passwords cannot be parameters of these statements.
  await sql.unsafe(
    `${known!.role ? 'ALTER' : 'CREATE'} ROLE ${identifier(role)} LOGIN PASSWORD ${literal(decodeURIComponent(password))}`,
  )
  if (known!.database) return
  // Only a member of a role may give it a database.
  if (!known!.superuser) await sql.unsafe(`GRANT ${identifier(role)} TO CURRENT_USER`)
  await sql.unsafe(`CREATE DATABASE ${identifier(database)} OWNER ${identifier(role)}`)
  // Each service sees its own database only.
  await sql.unsafe(`REVOKE ALL ON DATABASE ${identifier(database)} FROM PUBLIC`)
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
