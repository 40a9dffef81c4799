import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkout } from '../../deploy/checkout.ts'
import { type ServiceWithDatabase, servicesWithDatabase } from '../../deploy/preparation.ts'
import type { Stack } from '../../deploy/stack.ts'

export interface NewerVersion {
  /** A checkout of its own, for processes to run from. */
  readonly folder: string
  /** What the jobs of a deployment do: brings every database to its schema. */
  migrate(stack: Pick<Stack, 'databaseUrls'>, log?: (line: string) => void): Promise<void>
  /** Adds a migration of a service that fails half-way. */
  breakMigration(service: ServiceWithDatabase): Promise<void>
  remove(): Promise<void>
}

/** Adds a column and an index to the table that is written most, while it is written, and a table everywhere. */
const migrations = {
  channels: {
    '900_newer_version.sql': 'ALTER TABLE messages ADD COLUMN newer_version_note text;',
    '901_newer_version_index.sql': [
      '-- no transaction',
      'CREATE INDEX CONCURRENTLY messages_by_newer_version ON messages (realm_id, sent_at);',
    ].join('\n'),
  },
  others: { '900_newer_version.sql': 'CREATE TABLE newer_version_notes (id bigint PRIMARY KEY, note text);' },
} as const

/** The present code with further migrations in each database: to its processes, the present schema is too old. */
export const newerVersion = async (): Promise<NewerVersion> => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-newer-'))
  const isOurs = (path: string): boolean => !path.includes('node_modules')
  for (const part of ['libs', 'services']) {
    await cp(join(checkout, part), join(folder, part), { recursive: true, filter: isOurs })
  }
  await mkdir(join(folder, 'node_modules', '@parley'), { recursive: true })
  for (const name of await readdir(join(checkout, 'node_modules'))) {
    if (name === '@parley' || name.startsWith('.')) continue
    await symlink(join(checkout, 'node_modules', name), join(folder, 'node_modules', name))
  }
  for (const name of await readdir(join(folder, 'libs'))) {
    await symlink(join(folder, 'libs', name), join(folder, 'node_modules', '@parley', name))
    const own = join(checkout, 'libs', name, 'node_modules')
    if (existsSync(own)) await symlink(own, join(folder, 'libs', name, 'node_modules'))
  }
  for (const service of servicesWithDatabase) {
    const files = service === 'channels' ? migrations.channels : migrations.others
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, 'services', service, 'migrations', name), `${text}\n`)
    }
  }
  return {
    folder,
    async migrate({ databaseUrls }, log = () => {}) {
      const module = pathToFileURL(join(folder, 'libs', 'db', 'src', 'migrate.ts')).href
      const { migrate } = (await import(module)) as typeof import('@parley/db/migrate')
      for (const service of servicesWithDatabase)
        await migrate({ databaseUrl: databaseUrls[service], service, log })
    },
    breakMigration: (service) =>
      writeFile(
        join(folder, 'services', service, 'migrations', '902_half_made.sql'),
        'CREATE TABLE half_made (id bigint PRIMARY KEY);\nALTER TABLE there_is_no_such_table ADD COLUMN note text;\n',
      ),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
