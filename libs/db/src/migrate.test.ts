import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownDatabase } from '@parley/testkit/own-database'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate, pendingMigrations } from './migrate.ts'

let own: Awaited<ReturnType<typeof ownDatabase>>
let folder: string
let service: string
beforeEach(async () => {
  own = await ownDatabase('gateway')
  folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  await mkdir(join(folder, 'migrations'))
  // A room of its own, named by its way from services/.
  service = relative(fileURLToPath(new URL('../../../services', import.meta.url)), folder)
})
afterEach(async () => {
  await own.drop()
  await rm(folder, { recursive: true })
})

const file = (name: string, text: string) => writeFile(join(folder, 'migrations', name), text)
const run = () => migrate({ databaseUrl: own.url, service })
const pending = () => pendingMigrations({ databaseUrl: own.url, service })

describe('migrate', () => {
  it('runs each file once and in order, however many run it at a time', async () => {
    await file('001_runs.sql', 'CREATE TABLE runs (file text)')
    await file('002_first.sql', "INSERT INTO runs VALUES ('002'); INSERT INTO runs VALUES ('002 too')")
    await file('010_second.sql', "INSERT INTO runs VALUES ('010')")
    expect(await pending()).toEqual(['001_runs.sql', '002_first.sql', '010_second.sql'])
    await Promise.all([run(), run(), run()])
    await run()
    expect((await own.database.sql`SELECT file FROM runs`).map((row) => row.file)).toEqual([
      '002',
      '002 too',
      '010',
    ])
    expect(await pending()).toEqual([])
  })

  it('leaves nothing behind of a file that fails, and goes on from there', async () => {
    await file('001_good.sql', 'CREATE TABLE good ()')
    await file('002_bad.sql', 'CREATE TABLE bad (); SELECT 1 / 0')
    await expect(run()).rejects.toThrow('division by zero')
    expect(await own.database.sql`SELECT to_regclass('good') AS good, to_regclass('bad') AS bad`).toEqual([
      { good: 'good', bad: null },
    ])
    expect(await pending()).toEqual(['002_bad.sql'])
    await file('002_bad.sql', 'CREATE TABLE bad ()')
    await run()
    expect(await pending()).toEqual([])
  })

  it('runs a file outside of a transaction when its first line says so', async () => {
    await file('001_table.sql', 'CREATE TABLE things (a int)')
    await file('002_index.sql', '-- no transaction\nCREATE INDEX CONCURRENTLY things_a ON things (a)')
    await run()
    expect(await own.database.sql`SELECT to_regclass('things_a')::text AS index`).toEqual([
      { index: 'things_a' },
    ])
  })

  it('refuses a file that was slipped in before those that ran', async () => {
    await file('002_late.sql', 'SELECT 1')
    await run()
    await file('001_early.sql', 'SELECT 1')
    await expect(run()).rejects.toThrow('001_early')
  })

  it('gives way to traffic when it cannot have its lock, and gets it later', async () => {
    await file('001_table.sql', 'CREATE TABLE busy (a int)')
    await run()
    await file('002_column.sql', 'ALTER TABLE busy ADD COLUMN b int')
    const left = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const traffic = own.database.transaction(async (tx) => {
      await tx.sql`SELECT FROM busy`
      held.resolve()
      await left.promise
    })
    await held.promise
    const lines: string[] = []
    const migrated = migrate({
      databaseUrl: own.url,
      service,
      log: (line) => {
        lines.push(line)
        if (line.includes('gave way')) left.resolve()
      },
    })
    await Promise.all([migrated, traffic])
    expect(lines.filter((line) => line.includes('gave way')).length).toBeGreaterThan(0)
    expect(await own.database.sql`SELECT b FROM busy`).toEqual([])
  })
})
