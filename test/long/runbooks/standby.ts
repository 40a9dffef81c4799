import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@parley/db'
import { eventually } from '@parley/testkit'
import { freePorts } from '../../../deploy/machine/ports.ts'
import { folderFor, isRoot, userNamed } from '../../../deploy/machine/users.ts'
import { query, run, type Scene } from './scene.ts'

export interface Standby {
  /** Rows that its administrator is shown. */
  query(text: string): Promise<Record<string, unknown>[]>
  /** A query that reads a table in one transaction and does not come to its end. */
  readForLong(table: string): Promise<void>
}

/** A second Postgres that follows the first, for as long as something is done. */
export const withStandby = async (scene: Scene, work: (standby: Standby) => Promise<void>): Promise<void> => {
  const primary = new URL(scene.stack.addresses.DATABASE_URL!)
  const [row] = await query(scene, 'identity', `SELECT setting FROM pg_config WHERE name = 'BINDIR'`)
  const program = (name: string) => join(String(row!.setting), name)
  // PostgreSQL refuses to run as root.
  const user = isRoot() ? ((await userNamed('postgres')) ?? (await userNamed('nobody'))) : undefined
  const folder = await folderFor(user, scene.dataDir, 'standby')
  const cluster = join(folder, 'cluster')
  const as = { cwd: '/', ...user }
  const copying = ['-D', cluster, '-R', '-X', 'stream', '-c', 'fast', '-d', primary.href]
  await run(program('pg_basebackup'), copying, as)
  const [port] = await freePorts(1)
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    // Queries are never ended for the sake of what follows.
    max_standby_streaming_delay: '-1',
  }
  const args = [
    '-D',
    cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const server = spawn(program('postgres'), args, { ...as, stdio: 'ignore' })
  const url = Object.assign(new URL(primary), {
    port: String(port),
    pathname: new URL(scene.stack.databaseUrls.identity).pathname,
  }).href
  const open = () => openDatabase({ url, service: 'runbook', poolSize: 1 })
  const ask: Standby['query'] = async (text) => {
    const database = await open()
    try {
      return [...(await database.sql.unsafe(text))]
    } finally {
      await database.close()
    }
  }
  try {
    await eventually(() => ask('SELECT 1'), 60)
    await work({
      query: ask,
      async readForLong(table) {
        const database = await open()
        const reader = database.dedicated()
        await reader.unsafe('BEGIN')
        await reader.unsafe(`SELECT * FROM ${table}`)
        reader
          .unsafe('SELECT pg_sleep(600)')
          .catch(() => {})
          .finally(() => reader.end({ timeout: 1 }).catch(() => {}))
          .finally(() => database.close())
      },
    })
  } finally {
    const ended = once(server, 'exit')
    server.kill('SIGINT')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
}
