/**
 * `npm run runbooks`: brings up a system, causes what a runbook is for, looks where it says to look, does what it says to do,
 * and sees that all is well again. What a runbook says of Kubernetes is done to processes instead: a pod that is deleted is
 * a process that is killed and started. `-- --only NAME` follows some of them.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { openDatabase } from '@parley/db'
import { EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'
import { checkout } from '../../deploy/checkout.ts'
import type { ServiceReplica } from '../../deploy/service-replica.ts'
import { type Stack, startStack } from '../../deploy/stack.ts'
import { newerVersion } from './newer-version.ts'

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const run = promisify(execFile)

const demand = (isSo: boolean, what: string): void => {
  if (!isSo) throw new Error(`not so: ${what}`)
}
const becomes = (what: string, isSo: () => Promise<boolean>): Promise<void> =>
  eventually(async () => demand(await isSo(), what), 60)

const metrics = async (replica: ServiceReplica): Promise<string[]> =>
  (await (await fetch(`${replica.opsUrl}/metrics`)).text()).split('\n')
/** The sum of a metric's samples that have a label; 0 without any. */
const metric = async (replica: ServiceReplica, name: string, label = ''): Promise<number> =>
  (await metrics(replica))
    .filter((line) => (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
const readiness = async (replica: ServiceReplica): Promise<string> =>
  (await fetch(`${replica.opsUrl}/ready`)).text()

/** Rows that an administrator of the database server is shown. */
const query = async (url: string, text: string): Promise<Record<string, unknown>[]> => {
  const database = await openDatabase({ url, service: 'runbook', poolSize: 1 })
  try {
    return [...(await database.sql.unsafe(text))]
  } finally {
    await database.close()
  }
}

interface Scene {
  readonly stack: Stack
  readonly world: World
  readonly anna: TestUser
  readonly ben: TestUser
}

const manage = async ({ stack }: Scene, ...args: string[]): Promise<string> => {
  const { identityUrl, manageKey } = stack.address
  const env = { ...process.env, IDENTITY_URL: identityUrl, SIGNING_KEY: manageKey }
  const command = ['deploy/manage/main.ts', ...args, '--json']
  return (await run(process.execPath, command, { cwd: checkout, env })).stdout
}

/** Whether a message still comes to somebody who waits. */
const talk = async ({ anna, ben }: Scene, content: string): Promise<void> => {
  const reader = await EventReader.register(ben, { event_types: ['message'] })
  await succeeded(anna.post('/messages', { type: 'direct', to: [ben.id], content }))
  await reader.waitFor((event) => event.type === 'message', 60)
}

const runbooks: Record<string, (scene: Scene) => Promise<void>> = {
  'service-down': async ({ stack, anna }) => {
    await stack.kill('presence', 'SIGKILL')
    const refused = await anna.get('/realm/presence')
    demand(refused.status === 503 && refused.headers['retry-after'] !== undefined, 'its routes answer 503')
    await succeeded(anna.get('/users/me'))
    const reached = await fetch(`${stack.replica('presence').opsUrl}/metrics`).then(
      () => true,
      () => false,
    )
    demand(!reached, 'Prometheus does not reach it')
    await stack.restart('presence')
    await becomes('its routes answer again', async () => (await anna.get('/realm/presence')).status === 200)
  },

  'outbox-not-draining': async (scene) => {
    const { stack, anna, ben } = scene
    const reader = await EventReader.register(ben, { event_types: ['message'] })
    await stack.stopEngine('kafka')
    await succeeded(anna.post('/messages', { type: 'direct', to: [ben.id], content: 'kept' }))
    const owner = stack.replica('channels')
    await becomes('the outbox is not empty', async () => (await metric(owner, 'parley_outbox_depth')) > 0)
    await becomes('/ready names Kafka', async () => (await readiness(owner)).includes('kafka'))
    const url = Object.assign(new URL(stack.addresses.DATABASE_URL!), {
      pathname: new URL(stack.databaseUrls.channels).pathname,
    }).href
    const locks = await query(
      url,
      `SELECT * FROM pg_locks WHERE locktype = 'advisory'
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    demand(locks.length > 0, 'a relay holds an advisory lock')
    await stack.startEngine('kafka')
    await reader.waitFor((event) => event.message?.content.includes('kept'), 90)
    await becomes('the outbox is empty', async () => (await metric(owner, 'parley_outbox_depth')) === 0)
    // The leader hangs: another one takes over.
    await stack.kill('channels', 'SIGKILL')
    await talk(scene, 'by the other one')
    await stack.restart('channels')
  },

  'live-events-lost': async ({ stack, anna }) => {
    const presence = stack.replica('presence')
    await stack.stopEngine('kafka')
    await becomes('live events are dropped', async () => {
      await succeeded(anna.post('/users/me/presence', { status: 'active', new_user_input: true }))
      await succeeded(anna.post('/typing', { op: 'start', to: [anna.id] }))
      return (await metric(presence, 'parley_live_events_lost_total')) > 0
    })
    await stack.startEngine('kafka')
    await becomes('presence is ready', () => presence.ready())
    await succeeded(anna.post('/users/me/presence', { status: 'active' }))
  },

  'migration-failed': async ({ stack, anna, ben }) => {
    const newer = await newerVersion()
    const database = await openDatabase({ url: stack.databaseUrls.channels, service: 'runbook', poolSize: 1 })
    const holder = database.dedicated()
    // Not by the driver's own `begin`, which does not survive that its session is ended.
    await holder.unsafe('BEGIN')
    await holder.unsafe('LOCK TABLE messages IN ACCESS SHARE MODE')
    holder.unsafe('SELECT pg_sleep(600)').catch(() => {})
    const lines: string[] = []
    const migrated = newer.migrate(stack, (line) => lines.push(line))
    await becomes('it says that it waits for a lock', async () =>
      lines.some((line) => line.includes('migrations wait for a lock')),
    )
    // It has stepped back, and those who talk get by.
    await succeeded(anna.post('/messages', { type: 'direct', to: [ben.id], content: 'meanwhile' }))
    const admin = stack.addresses.DATABASE_URL!
    const found = await query(
      admin,
      `SELECT pid, now() - xact_start, query FROM pg_stat_activity WHERE state <> 'idle' ORDER BY 2 DESC`,
    )
    const old = found.find(({ query }) => String(query).includes('pg_sleep(600)'))
    demand(old !== undefined, 'the long transaction is in the list')
    await query(admin, `SELECT pg_terminate_backend(${Number(old!.pid)})`)
    await migrated
    await succeeded(anna.post('/messages', { type: 'direct', to: [ben.id], content: 'after' }))
    await holder.end({ timeout: 1 }).catch(() => {})
    await database.close()
    await newer.remove()
  },

  'realm-purge-stalls': async (scene) => {
    const { stack } = scene
    const world = await World.create(stack.address)
    await world.user()
    await stack.kill('uploads', 'SIGKILL')
    await manage(scene, 'deactivate-realm', '--realm', world.subdomain, '--deletion-days', '0', '--yes')
    const status = async () =>
      JSON.parse(await manage(scene, 'purge-status', '--realm', world.subdomain)) as {
        state: string
        services: Record<string, { is_done: boolean }>
      }
    await becomes('only uploads is missing', async () => {
      const { services } = await status()
      const open = Object.entries(services).filter(([, { is_done }]) => !is_done)
      // Identity is last: it waits for all others.
      return open.some(([name]) => name === 'uploads') && open.length <= 2
    })
    await stack.restart('uploads')
    await becomes('the organization is gone', async () =>
      status().then(
        ({ state }) => state !== 'purging',
        () => true,
      ),
    )
  },

  'shard-behind': async (scene) => {
    const { stack } = scene
    const owners = [stack.replica('event-queue', 1), stack.replica('event-queue', 2)]
    const owned = async (replica: ServiceReplica) =>
      (await metrics(replica)).filter((line) => line.startsWith('parley_event_queues{'))
    await talk(scene, 'before')
    const [first, second] = await Promise.all(owners.map(owned))
    demand(first!.length + second!.length > 0, 'the metric says who owns which shard')
    const number = first!.length > 0 ? 1 : 2
    await stack.kill('event-queue', 'SIGKILL', number)
    await talk(scene, 'through the other one')
    await stack.restart('event-queue', number)
  },

  'queues-lost': async (scene) => {
    const { stack, ben } = scene
    const reader = await EventReader.register(ben, { event_types: ['message'] })
    const redis = new URL(stack.addresses.REDIS_URL!)
    await run('redis-cli', ['-h', redis.hostname, '-p', redis.port, 'FLUSHALL'])
    await becomes('its client is told to register anew', async () => {
      await succeeded(scene.anna.post('/messages', { type: 'direct', to: [ben.id], content: 'lost' }))
      const { body } = await ben.get('/events', {
        queue_id: reader.queueId,
        last_event_id: -1,
        dont_block: true,
      })
      return body.code === 'BAD_EVENT_QUEUE_ID'
    })
    const lost = await Promise.all(
      [1, 2].map((number) =>
        metric(stack.replica('event-queue', number), 'parley_event_queues_closed_total', 'reason="lost"'),
      ),
    )
    demand(lost[0]! + lost[1]! > 0, 'the metric says why')
    await talk(scene, 'after')
  },

  'webhooks-mostly-fail': async ({ stack, anna }) => {
    const bot = await succeeded(
      anna.post('/bots', {
        full_name: 'Nobody',
        short_name: 'nobody',
        bot_type: 3,
        payload_url: 'http://127.0.0.1:9/',
      }),
    )
    await succeeded(anna.post('/messages', { type: 'direct', to: [bot.user_id], content: 'anybody there?' }))
    const dispatcher = stack.replica('webhook-dispatcher')
    await becomes('the label says how calls end', async () =>
      (await metrics(dispatcher)).some((line) =>
        /^parley_webhook_call_duration_seconds_count\{outcome="(refused|unreachable)"\} [1-9]/.test(line),
      ),
    )
    const { deliveries } = await succeeded(anna.get(`/bots/${bot.user_id}/webhook/deliveries`))
    demand(deliveries.length > 0, 'the delivery log has it')
  },

  'event-loop-blocked': async ({ stack }) => {
    await stack.kill('invitations', 'SIGUSR1')
    await becomes('the inspector listens', async () =>
      fetch('http://127.0.0.1:9229/json/list').then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    await stack.restart('invitations')
  },
}

const chosen = Object.entries(runbooks).filter(([name]) => values.only?.split(',').includes(name) ?? true)
const dataDir = await mkdtemp(join(tmpdir(), 'parley-runbooks-'))
const stack = await startStack({
  dataDir,
  log: (line) => console.error(line),
  replicas: { channels: 2, 'event-queue': 2 },
  env: { ...process.env, LOG_LEVEL: 'warn' },
})
let failed = 0
try {
  const world = await World.create(stack.address)
  const scene = { stack, world, anna: await world.user({ role: 'owner' }), ben: await world.user() }
  for (const [name, follow] of chosen) {
    const began = Date.now()
    try {
      await follow(scene)
      console.log(`${name.padEnd(24)} followed in ${((Date.now() - began) / 1000).toFixed(1)} s`)
    } catch (error) {
      failed += 1
      console.log(`${name.padEnd(24)} FAILED: ${error instanceof Error ? error.message : error}`)
      for (const one of stack.services) if (!one.running) await one.start()
    }
  }
} finally {
  await stack.stop({ discardData: true })
  await rm(dataDir, { recursive: true, force: true })
}
process.exit(failed === 0 ? 0 : 1)
