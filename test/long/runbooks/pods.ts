/** Runbooks about processes: what Kubernetes does to pods is done to processes by the same signals. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@parley/db'
import { succeeded } from '@parley/testkit'
import { checkout } from '../../../deploy/checkout.ts'
import { newerVersion } from '../newer-version.ts'
import { Inspector } from './inspector.ts'
import {
  becomes,
  demand,
  holds,
  metric,
  metrics,
  query,
  type Runbooks,
  readiness,
  type Scene,
  say,
  talk,
  withSettings,
} from './scene.ts'

const serviceDown = async (scene: Scene): Promise<void> => {
  const { stack, settings, anna } = scene
  await stack.kill('presence', 'SIGKILL')
  const refused = await anna.get('/realm/presence')
  demand(refused.status === 503 && refused.headers['retry-after'] !== undefined, 'its routes answer 503')
  await succeeded(anna.get('/users/me'))
  await becomes('Prometheus reaches no pod', () => holds(scene, 'ServiceDown'))
  settings.PRESENCE_EVENT_USERS = 'many'
  const misconfigured = await stack.restart('presence').catch(String)
  delete settings.PRESENCE_EVENT_USERS
  demand(String(misconfigured).includes('exit code 78'), `exit code 78: ${misconfigured}`)
  demand(/PRESENCE_EVENT_USERS/.test(String(misconfigured)), 'the last log line names the setting')
  await stack.stopEngine('postgres')
  const without = await stack.restart('presence').catch(String)
  await stack.startEngine('postgres')
  demand(String(without).includes('exit code 1;'), `exit code 1: ${without}`)
  demand(/postgres is away/.test(String(without)), 'the log says which engine')
  await stack.restart('presence')
  await becomes('its routes answer again', async () => (await anna.get('/realm/presence')).status === 200)
  await becomes('the alert is over', async () => !(await holds(scene, 'ServiceDown')))
}

const podsMissing = async (scene: Scene): Promise<void> => {
  const { stack } = scene
  const uploads = stack.replica('uploads')
  await stack.stopEngine('postgres')
  await becomes('/ready names what is away', async () => /503 .*postgres/.test(await readiness(uploads)))
  await stack.startEngine('postgres')
  await becomes('it is ready by itself', () => uploads.ready())
  const newer = await newerVersion()
  uploads.version = newer.folder
  const started = stack.restart('uploads').catch(() => {})
  await becomes('/ready says that migrations are pending', async () =>
    (await readiness(uploads)).includes('migrations are pending'),
  )
  uploads.version = checkout
  await stack.kill('uploads', 'SIGKILL')
  await started
  await stack.restart('uploads')
  await newer.remove()
}

const alive = async (scene: Scene, service: 'channels' | 'invitations'): Promise<boolean> =>
  fetch(`${scene.stack.replica(service).opsUrl}/health`, { signal: AbortSignal.timeout(3000) }).then(
    ({ ok }) => ok,
    () => false,
  )

const podRestarts = async (scene: Scene): Promise<void> => {
  const { stack } = scene
  for (const engine of ['postgres', 'kafka'] as const) {
    await stack.stopEngine(engine)
    await becomes('it is not ready', async () =>
      (await readiness(stack.replica('channels'))).startsWith('503'),
    )
    demand(await alive(scene, 'channels'), `liveness asks no ${engine}`)
    await stack.startEngine(engine)
  }
  await becomes('it is ready again', () => stack.replica('channels').ready())
  await stack.kill('invitations', 'SIGSTOP')
  demand(!(await alive(scene, 'invitations')), 'whose event loop is held does not answer the probe')
  await stack.kill('invitations', 'SIGCONT')
  await becomes('it answers', () => alive(scene, 'invitations'))
  // The kernel ends a process at its limit as SIGKILL does; Node ends itself at the limit of its heap.
  await stack.kill('invitations', 'SIGKILL')
  await stack.restart('invitations')
  await talk(scene, 'nobody noticed')
}

const memoryNearLimit = async (scene: Scene): Promise<void> => {
  const { stack } = scene
  const presence = stack.replica('presence')
  demand((await metric(presence, 'nodejs_heap_size_used_bytes')) > 0, 'the heap is told')
  demand((await metric(presence, 'process_resident_memory_bytes')) > 0, 'the resident memory is told')
  const option = { NODE_OPTIONS: '--heapsnapshot-signal=SIGUSR2' }
  await withSettings(scene, 'presence', option, async () => {
    process.kill(presence.pid!, 'SIGUSR2')
    const written = async () =>
      (await readdir(checkout)).filter(
        (name) => name.endsWith('.heapsnapshot') && name.includes(`.${presence.pid}.`),
      )
    await becomes('a heap snapshot is written where it runs', async () => (await written()).length === 1)
    await becomes('it serves after it', () => presence.ready())
    for (const name of await written()) await rm(join(checkout, name))
  })
}

const eventLoopBlocked = async (scene: Scene): Promise<void> => {
  const { stack } = scene
  const invitations = stack.replica('invitations')
  process.kill(invitations.pid!, 'SIGUSR1')
  const inspector = await Inspector.open(9229)
  await inspector.call('Profiler.enable')
  await inspector.call('Profiler.start')
  const expression = `globalThis.held = setInterval(function heldHere() {
    for (const end = Date.now() + 400; Date.now() < end; );
  }, 50)`
  await inspector.call('Runtime.evaluate', { expression })
  await becomes('the condition of the alert holds', () => holds(scene, 'EventLoopBlocked'))
  const { profile } = await inspector.call('Profiler.stop')
  const heavy = profile.nodes.filter(
    (node: { callFrame: { functionName: string }; hitCount: number }) =>
      node.callFrame.functionName === 'heldHere' && node.hitCount > 100,
  )
  demand(heavy.length > 0, 'the profile names who holds it')
  await inspector.call('Runtime.evaluate', { expression: 'clearInterval(globalThis.held)' })
  inspector.close()
  await stack.restart('invitations')
  await becomes('the alert is over', async () => !(await holds(scene, 'EventLoopBlocked')))
}

const scalerAtLimit = async (scene: Scene): Promise<void> => {
  const { stack } = scene
  const identities = async () =>
    Number(
      (
        await query(
          scene,
          'identity',
          'SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = datname',
        )
      )[0]!.count,
    )
  demand((await identities()) > 0, 'connections are counted by pg_stat_activity')
  const further = await stack.startReplica('identity')
  demand((await identities()) <= 2 * (10 + 2), 'two pods take two pools, and what a relay listens by')
  await further.stop()
  // Never beyond partitions: of five pods one has no shard of four.
  const more = [
    await stack.startReplica('event-queue'),
    await stack.startReplica('event-queue'),
    await stack.startReplica('event-queue'),
  ]
  const pods = [stack.replica('event-queue', 1), stack.replica('event-queue', 2), ...more]
  const owned = async () =>
    Promise.all(
      pods.map(
        async (pod) => (await metrics(pod)).filter((line) => line.startsWith('parley_event_queues{')).length,
      ),
    )
  await becomes('each shard has one owner, and one pod has nothing to do', async () => {
    const counts = await owned()
    return (
      counts.reduce((sum, count) => sum + count, 0) === 4 &&
      counts.filter((count) => count === 0).length === 1
    )
  })
  await talk(scene, 'while there are too many')
  for (const pod of more) await pod.stop()
  await becomes('the others have them all', async () => {
    const counts = await Promise.all(
      pods
        .slice(0, 2)
        .map(async (pod) => (await metrics(pod)).filter((line) => line.startsWith('parley_event_queues{'))),
    )
    return counts.flat().length === 4
  })
  await talk(scene, 'afterwards')
}

const migrationFailed = async (scene: Scene): Promise<void> => {
  const { stack } = scene
  const newer = await newerVersion()
  try {
    const database = await openDatabase({ url: stack.databaseUrls.channels, service: 'runbook', poolSize: 1 })
    const holder = database.dedicated()
    // Not by the driver's own `begin`, which does not survive that its session is ended.
    await holder.unsafe('BEGIN')
    await holder.unsafe('LOCK TABLE messages IN ACCESS SHARE MODE')
    const holding = holder.unsafe('SELECT pg_sleep(600)').catch(() => {})
    const active = `SELECT pid, now() - xact_start AS age, query FROM pg_stat_activity WHERE state <> 'idle' ORDER BY 2 DESC`
    const found = async () =>
      (await query(scene, 'channels', active)).find(
        (row) =>
          String(row.query).includes('pg_sleep(600)') && !String(row.query).includes('pg_stat_activity'),
      )
    await becomes('the long transaction is in the list', async () => (await found()) !== undefined)
    const lines: string[] = []
    const migrated = newer.migrate(stack, (line) => lines.push(line))
    await becomes('it says that it waits for a lock', () =>
      lines.some((line) => line.includes('migrations wait for a lock')),
    )
    // It has stepped back, and those who talk get by.
    await say(scene, 'meanwhile')
    await query(scene, 'channels', `SELECT pg_terminate_backend(${Number((await found())!.pid)})`)
    await holding
    await holder.end({ timeout: 1 }).catch(() => {})
    await database.close()
    await migrated
    await say(scene, 'after')

    await newer.breakMigration('presence')
    const failed = await newer.migrate(stack).catch(String)
    demand(String(failed).includes('there_is_no_such_table'), `the error of the file is told: ${failed}`)
    const [left] = await query(scene, 'presence', `SELECT to_regclass('half_made') AS half`)
    demand(left!.half === null, 'it has left nothing behind')
    // Old pods go on, also when they are started anew on the newer schema.
    await stack.restart('presence')
    await talk(scene, 'on the schema of before')
  } finally {
    await newer.remove()
  }
}

export const podRunbooks: Runbooks = {
  'service-down': serviceDown,
  'pods-missing': podsMissing,
  'pod-restarts': podRestarts,
  'memory-near-limit': memoryNearLimit,
  'event-loop-blocked': eventLoopBlocked,
  'scaler-at-limit': scalerAtLimit,
  'migration-failed': migrationFailed,
}
