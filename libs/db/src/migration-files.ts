import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export interface MigrationFolder {
  /** The table that remembers which of its files have run. */
  readonly table: string
  readonly dir: string
  /** Names of its `.sql` files, in order. */
  readonly files: readonly string[]
}

/** What a service's database is made of: the tables that every service has, then its own. */
export const migrationFolders = (service: string): MigrationFolder[] =>
  [
    { table: 'migrations_house', dir: '../migrations' },
    { table: 'migrations_service', dir: `../../../services/${service}/migrations` },
  ]
    .map(({ table, dir }) => ({ table, dir: fileURLToPath(new URL(dir, import.meta.url)) }))
    .filter(({ dir }) => existsSync(dir))
    .map(({ table, dir }) => ({ table, dir, files: sqlFiles(dir) }))
    .filter(({ files }) => files.length > 0)

const sqlFiles = (dir: string): string[] =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.sql'))
    .sort()

export const readMigration = async (path: string): Promise<{ text: string; isTransaction: boolean }> => {
  const text = await readFile(path, 'utf8')
  return { text, isTransaction: !/^-- no transaction\s*\n/.test(text) }
}
