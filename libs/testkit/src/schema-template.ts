import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceName } from '@parley/contracts'
import type { Sql } from '@parley/db'
import { migrate } from '@parley/db/migrate'
import { migrationFolders } from '@parley/db/migration-files'

/** Of all files that make a service's schema: another one with every change of any. */
const fingerprint = (service: ServiceName): string => {
  const hash = createHash('sha256')
  for (const { dir, files } of migrationFolders(service)) {
    for (const file of files) hash.update(file).update(readFileSync(join(dir, file)))
  }
  return hash.digest('hex').slice(0, 12)
}

/**
 * The name of an empty database with a service's schema, to be copied: running all migrations takes longer than most
 * tests. The first who asks on a server makes it, and whoever asks meanwhile waits. `sql` is an administrator's, of one
 * connection and without a time limit for statements.
 */
export const schemaTemplate = async (sql: Sql, adminUrl: string, service: ServiceName): Promise<string> => {
  const name = `schema_${service.replaceAll('-', '_')}_${fingerprint(service)}`
  await sql`SELECT pg_advisory_lock(hashtext(${name}))`
  try {
    const found = await sql`SELECT FROM pg_database WHERE datname = ${name}`
    if (found.length > 0) return name
    const unfinished = `${name}_unfinished`
    await sql.unsafe(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`)
    await sql.unsafe(`CREATE DATABASE ${unfinished}`)
    const databaseUrl = Object.assign(new URL(adminUrl), { pathname: `/${unfinished}` }).href
    await migrate({ databaseUrl, service })
    await sql.unsafe(`ALTER DATABASE ${unfinished} RENAME TO ${name}`)
    return name
  } finally {
    await sql`SELECT pg_advisory_unlock(hashtext(${name}))`
  }
}
