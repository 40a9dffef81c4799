import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { type BlobStore, openBlobStore } from '@parley/blob'
import { systemBots } from '@parley/contracts/identity/system-bots'
import { openDatabase } from '@parley/db'
import { checkout } from '../../deploy/checkout.ts'
import { runCommand } from '../../deploy/machine/commands.ts'
import { databaseVariable, type ServiceWithDatabase } from '../../deploy/preparation.ts'
import type { Stack } from '../../deploy/stack.ts'

/**
 * In this order: who refers to something is saved before what it refers to, so that in the backup nothing refers to what is
 * not in it. Everything refers to accounts; files lie in the store before a row speaks of them.
 */
const order: readonly ServiceWithDatabase[] = [
  'webhook-dispatcher',
  'presence',
  'invitations',
  'channels',
  'uploads',
  'identity',
]

/** PostgreSQL's own tools, beside the server that runs. */
const tool = async (stack: Stack, name: string): Promise<string> => {
  const database = await openDatabase({ url: stack.addresses.DATABASE_URL!, service: 'backup', poolSize: 1 })
  try {
    const [row] = await database.sql<
      { setting: string }[]
    >`SELECT setting FROM pg_config WHERE name = 'BINDIR'`
    return join(row!.setting, name)
  } finally {
    await database.close()
  }
}

/** As the administrator: roles need not be able to read everything. */
const adminUrl = (stack: Stack, service: ServiceWithDatabase): string => {
  const url = new URL(stack.addresses.DATABASE_URL!)
  url.pathname = new URL(stack.databaseUrls[service]).pathname
  return url.href
}

const storeOf = (stack: Stack): Promise<BlobStore> => {
  const { S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION } = stack.addresses as Record<string, string>
  return openBlobStore({
    endpoint: S3_ENDPOINT!,
    accessKey: S3_ACCESS_KEY!,
    secretKey: S3_SECRET_KEY!,
    region: S3_REGION ?? 'us-east-1',
    bucket: 'parley',
  })
}

const { signal } = new AbortController()

/** Saves every database and the bucket of a running system into a folder, one after the other, and the keys that open them. */
export const backUp = async (stack: Stack, dataDir: string, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  const dump = await tool(stack, 'pg_dump')
  for (const service of order) {
    const file = join(folder, `${service}.dump`)
    await runCommand(dump, ['--format=custom', `--file=${file}`, `--dbname=${adminUrl(stack, service)}`], {
      signal,
    })
  }
  const store = await storeOf(stack)
  for await (const key of store.list('')) {
    const content = await store.get(key)
    // Deleted meanwhile.
    if (content === undefined) continue
    const file = join(folder, 'bucket', key)
    await mkdir(dirname(file), { recursive: true })
    await pipeline(content, createWriteStream(file))
  }
  await copyFile(join(dataDir, 'secrets.json'), join(folder, 'secrets.json'))
}

/** Puts a backup into a system whose services do not run yet. */
export const restore = async (stack: Stack, folder: string): Promise<void> => {
  const program = await tool(stack, 'pg_restore')
  for (const service of order) {
    const url = adminUrl(stack, service)
    await runCommand(
      program,
      ['--clean', '--if-exists', '--exit-on-error', `--dbname=${url}`, join(folder, `${service}.dump`)],
      { signal },
    )
  }
  const urls = Object.entries(stack.databaseUrls) as [ServiceWithDatabase, string][]
  const env = Object.fromEntries(urls.map(([service, url]) => [databaseVariable(service), url]))
  // Kafka is a new one.
  await promisify(execFile)(process.execPath, ['deploy/after-restore.ts', '--new-log'], {
    cwd: checkout,
    env: { ...process.env, ...env },
  })
  const store = await storeOf(stack)
  const bucket = join(folder, 'bucket')
  const names = await readdir(bucket, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of names) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    await store.put(relative(bucket, path), createReadStream(path), {
      contentType: 'application/octet-stream',
    })
  }
}

/** Things that refer to what is not there, across services, by what they are. */
export const brokenReferences = async (stack: Stack): Promise<Record<string, number>> => {
  const databases = await Promise.all(
    order.map(async (service) => {
      const database = await openDatabase({ url: adminUrl(stack, service), service: 'check', poolSize: 1 })
      return [service, database] as const
    }),
  )
  const sqlOf = (name: ServiceWithDatabase) => databases.find(([service]) => service === name)![1].sql
  const column = async (service: ServiceWithDatabase, query: string): Promise<string[]> =>
    (await sqlOf(service).unsafe(query)).map((row) => String(Object.values(row)[0]))
  try {
    const accounts = new Set(await column('identity', 'SELECT id FROM users'))
    // Known by the code, without a row anywhere.
    for (const bot of Object.values(systemBots)) accounts.add(String(bot.id))
    const messages = new Set(await column('channels', 'SELECT id FROM messages'))
    const store = await storeOf(stack)
    const keys = new Set<string>()
    for await (const key of store.list('')) keys.add(key)
    const missing = (ids: readonly string[], known: ReadonlySet<string>) =>
      ids.filter((id) => !known.has(id)).length
    const stored = await column('uploads', 'SELECT path_id FROM attachments')
    const present = await column(
      'identity',
      `SELECT concat_ws(' ', id, role, is_active, full_name) FROM users`,
    )
    const copied = await column(
      'channels',
      `SELECT concat_ws(' ', id, role, is_active, full_name) FROM users`,
    )
    return {
      'senders of messages without an account': missing(
        await column('channels', 'SELECT DISTINCT sender_id FROM messages'),
        accounts,
      ),
      'subscriptions without an account': missing(
        await column('channels', 'SELECT DISTINCT user_id FROM subscriptions'),
        accounts,
      ),
      "copies of accounts in channels that differ from identity's": missing(copied, new Set(present)),
      'accounts that channels does not know': missing(present, new Set(copied)),
      'owners of files without an account': missing(
        await column('uploads', 'SELECT DISTINCT owner_id FROM attachments'),
        accounts,
      ),
      'files without bytes': stored.filter(
        (path) => !keys.has(`files/${path.split('/').slice(0, 3).join('/')}`),
      ).length,
      'claims of files by messages that are not there': missing(
        await column('uploads', 'SELECT message_id FROM attachment_messages'),
        messages,
      ),
      'receivers of webhooks without an account': missing(
        await column('webhook-dispatcher', 'SELECT bot_id FROM receivers'),
        accounts,
      ),
    }
  } finally {
    await Promise.all(databases.map(([, database]) => database.close()))
  }
}
