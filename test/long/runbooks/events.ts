/** Runbooks about announcements, queues, and who is told late. */
import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@parley/db'
import { EventReader, succeeded } from '@parley/testkit'
import type { ServiceReplica } from '../../../deploy/service-replica.ts'
import { rest } from '../../faults/patient.ts'
import { publishGarbage } from '../records.ts'
import {
  ask,
  becomes,
  demand,
  holds,
  logOf,
  metric,
  metrics,
  query,
  type Runbooks,
  readiness,
  redis,
  type Scene,
  say,
  talk,
  times,
} from './scene.ts'

const queuesOf = (reader: ServiceReplica): Promise<string[]> =>
  metrics(reader).then((lines) => lines.filter((line) => line.startsWith('parley_event_queues{')))
const ownersOf = ({ stack }: Scene) => [stack.replica('event-queue', 1), stack.replica('event-queue', 2)]
/** Sum over both processes of event-queue. */
const ofQueues = async (scene: Scene, name: string, label = ''): Promise<number> => {
  const counts = await Promise.all(
    ownersOf(scene).map((replica) => metric(replica, name, label).catch(() => 0)),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

const outboxNotDraining = async (scene: Scene): Promise<void> => {
  const { stack, ben } = scene
  const reader = await EventReader.register(ben, { event_types: ['message'] })
  await stack.stopEngine('kafka')
  await say(scene, 'kept')
  const owner = stack.replica('channels')
  await becomes('the outbox is not empty', async () => (await metric(owner, 'parley_outbox_depth')) > 0)
  await becomes('/ready names Kafka', async () => /503 .*kafka/.test(await readiness(owner)))
  const locks = await query(
    scene,
    'channels',
    `SELECT * FROM pg_locks WHERE locktype = 'advisory'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  demand(locks.length > 0, 'a relay holds an advisory lock')
  await becomes('the alert holds', () => holds(scene, 'OutboxNotDraining'))
  await stack.startEngine('kafka')
  await reader.waitFor((event) => event.message?.content.includes('kept'), 90)
  await becomes('the outbox is empty', async () => (await metric(owner, 'parley_outbox_depth')) === 0)
  // The leader hangs: another one takes over.
  await stack.kill('channels', 'SIGKILL')
  await talk(scene, 'by the other one')
  await stack.restart('channels')
  await stuckTransaction(scene)
}

/** Somebody holds what a send needs: it waits, and goes on when the holder is ended. */
const stuckTransaction = async (scene: Scene): Promise<void> => {
  const { stack, ben } = scene
  const reader = await EventReader.register(ben, { event_types: ['message'] })
  const database = await openDatabase({ url: stack.databaseUrls.channels, service: 'runbook', poolSize: 1 })
  const holder = database.dedicated()
  await holder.unsafe('BEGIN')
  await holder.unsafe('LOCK TABLE outbox IN SHARE MODE')
  const sent = say(scene, 'behind the transaction').catch(() => undefined)
  const blocking = async () =>
    query(
      scene,
      'channels',
      `SELECT DISTINCT blocker AS pid FROM pg_stat_activity, unnest(pg_blocking_pids(pid)) AS blocker
       WHERE datname = current_database()`,
    )
  await becomes('who waits and for whom is in pg_stat_activity', async () => (await blocking()).length > 0)
  for (const { pid } of await blocking())
    await query(scene, 'channels', `SELECT pg_terminate_backend(${Number(pid)})`)
  await holder.end({ timeout: 1 }).catch(() => {})
  await database.close()
  await sent
  await say(scene, 'after the transaction')
  await reader.waitFor((event) => event.message?.content.includes('after the transaction'), 60)
}

const deliveryBudgetBurns = async (scene: Scene): Promise<void> => {
  const { stack, ben } = scene
  const bucket = async (le: string) =>
    ofQueues(scene, 'parley_event_commit_to_answer_seconds_bucket', `le="${le}"`)
  const late = async () => (await bucket('+Inf')) - (await bucket('1'))
  const before = await late()
  const reader = await EventReader.register(ben, { event_types: ['message'] })
  // Both owners stand still for two seconds: Kafka to Redis.
  for (const number of [1, 2]) await stack.kill('event-queue', 'SIGSTOP', number)
  await say(scene, 'late')
  await rest(2500)
  for (const number of [1, 2]) await stack.kill('event-queue', 'SIGCONT', number)
  await reader.waitFor((event) => event.message?.content.includes('late'), 60)
  await becomes('the histogram tells of it', async () => (await late()) > before)
  for (const part of [
    'parley_outbox_oldest_seconds',
    'parley_event_shard_delay_seconds',
    'parley_event_append_to_answer_seconds_count',
  ])
    demand((await ask(scene, part)).length > 0, `where the second is spent: ${part}`)
  await becomes(
    'the objective is missed',
    async () => (await ask(scene, 'slo:delivery_bad:ratio_rate5m > 0.01')).length > 0,
  )
  // Delete the owner: the shards move within the session time-out.
  const began = Date.now()
  await stack.kill('event-queue', 'SIGKILL', 1)
  await becomes(
    'the other one has all shards',
    async () => (await queuesOf(stack.replica('event-queue', 2))).length === 4,
  )
  demand(Date.now() - began < 20_000, `they move within seconds: ${Date.now() - began} ms`)
  await talk(scene, 'through the other one')
  await stack.restart('event-queue', 1)
}

const registerBudgetBurns = async (scene: Scene): Promise<void> => {
  const { stack, spans, world } = scene
  const people = await Promise.all(Array.from({ length: 10 }, () => world.user()))
  const wish = { fetch_event_types: ['realm', 'subscription', 'message'] }
  // One section is slow: its service stands still.
  await stack.kill('channels', 'SIGSTOP', 1)
  await stack.kill('channels', 'SIGSTOP', 2)
  const slow = people[0]!.post('/register', wish)
  await rest(3000)
  await stack.kill('channels', 'SIGCONT', 1)
  await stack.kill('channels', 'SIGCONT', 2)
  await succeeded(slow)
  // A herd.
  await times(300, 150, (place) => succeeded(people[place % 10]!.post('/register', wish)))
  const rate = 'sum(rate(parley_request_duration_seconds_count{operation="registerQueue"}[1m]))'
  await becomes('how many is told', async () => ((await ask(scene, rate))[0]?.value ?? 0) > 1)
  await becomes('a trace of a slow one shows the service whose section it is', () => {
    const registered = new Set(
      spans.filter(({ name }) => name.includes('registerQueue')).map(({ traceId }) => traceId),
    )
    return spans.some(({ service, traceId }) => service === 'channels' && registered.has(traceId))
  })
  await becomes(
    'that registrations were slow is told',
    async () => (await ask(scene, 'slo:register_bad:ratio_rate5m > 0')).length > 0,
  )
}

const shardBehind = async (scene: Scene): Promise<void> => {
  const { stack } = scene
  await talk(scene, 'before')
  const owned = () => Promise.all(ownersOf(scene).map(queuesOf))
  await becomes('the metric says who owns which shard', async () => (await owned()).flat().length === 4)
  const [first] = await owned()
  demand((await ofQueues(scene, 'parley_event_append_seconds_count')) > 0, 'how long Redis takes is told')
  demand((await redis(scene, 'SLOWLOG', 'LEN')).trim() !== '', 'SLOWLOG answers')
  const persistence = await redis(scene, 'INFO', 'persistence')
  demand(persistence.includes('aof_delayed_fsync'), 'aof_delayed_fsync is told')
  const number = first!.length > 0 ? 1 : 2
  await stack.kill('event-queue', 'SIGKILL', number)
  await talk(scene, 'through the other one')
  await stack.restart('event-queue', number)
  // Memory is full: writes are refused, events wait, and go on.
  const reader = await EventReader.register(scene.ben, { event_types: ['message'] })
  await redis(scene, 'CONFIG', 'SET', 'maxmemory', '1mb')
  try {
    await say(scene, 'while it is full')
    await becomes('the log says that Redis refuses', async () =>
      /OOM|maxmemory/.test(`${await logOf(scene, 'event-queue')}${await logOf(scene, 'event-queue-2')}`),
    )
  } finally {
    await redis(scene, 'CONFIG', 'SET', 'maxmemory', '0')
  }
  await reader.waitFor((event) => event.message?.content.includes('while it is full'), 60)
}

const shardOwnedTwice = async (scene: Scene): Promise<void> => {
  const { stack, ben } = scene
  const reader = await EventReader.register(ben, { event_types: ['message'] })
  const [first] = await Promise.all(ownersOf(scene).map(queuesOf))
  const paused = first!.length > 0 ? 1 : 2
  const other = 3 - paused
  await stack.kill('event-queue', 'SIGSTOP', paused)
  await becomes(
    'the other one took its shards over',
    async () => (await queuesOf(stack.replica('event-queue', other))).length === 4,
  )
  await say(scene, 'while it was paused')
  await stack.kill('event-queue', 'SIGCONT', paused)
  await say(scene, 'when it was back')
  await reader.waitFor((event) => event.message?.content.includes('when it was back'), 60)
  const started = await ask(scene, 'process_start_time_seconds{job="event-queue"}')
  demand(started.length === 2, 'which of them is older is told')
  // Delete the older pod.
  await stack.kill('event-queue', 'SIGKILL', paused)
  await stack.restart('event-queue', paused)
  await becomes(
    'each shard is counted once',
    async () => (await Promise.all(ownersOf(scene).map(queuesOf))).flat().length === 4,
  )
  await say(scene, 'afterwards')
  const events = await reader.until((event) => event.message?.content.includes('afterwards'), 60)
  demand(events.length === 3, `each event came once: ${events.length}`)
}

const shardReplays = async (scene: Scene): Promise<void> => {
  const { stack, dataDir, ben } = scene
  const reader = await EventReader.register(ben, { event_types: ['message'] })
  await say(scene, 'one')
  await reader.waitFor((event) => event.message?.content.includes('one'))
  const name = (await readdir(dataDir, { recursive: true })).find((file) => file.endsWith('.incr.aof'))!
  const before = await ofQueues(scene, 'parley_event_shard_replays_total')
  const { size } = await stat(join(dataDir, name))
  for (const content of ['two', 'three']) await say(scene, content)
  await reader.waitFor((event) => event.message?.content.includes('three'))
  await stack.stopEngine('redis', 'SIGKILL')
  await truncate(join(dataDir, name), size)
  await stack.startEngine('redis')
  await say(scene, 'four')
  const events = await reader.until((event) => event.message?.content.includes('four'), 60)
  demand(events.length === 4, `each event came once: ${events.length}`)
  await becomes(
    'the metric counts it',
    async () => (await ofQueues(scene, 'parley_event_shard_replays_total')) > before,
  )
  demand(
    /reading the log again/.test(
      `${await logOf(scene, 'event-queue')}${await logOf(scene, 'event-queue-2')}`,
    ),
    'the log says from where',
  )
}

const queuesLost = async (scene: Scene): Promise<void> => {
  const { ben } = scene
  const reader = await EventReader.register(ben, { event_types: ['message'] })
  await redis(scene, 'FLUSHALL')
  await becomes('its client is told to register anew', async () => {
    await say(scene, 'lost')
    const wish = { queue_id: reader.queueId, last_event_id: -1, dont_block: true }
    return (await ben.get('/events', wish)).body.code === 'BAD_EVENT_QUEUE_ID'
  })
  demand(
    (await ofQueues(scene, 'parley_event_queues_closed_total', 'reason="lost"')) > 0,
    'the metric says why',
  )
  for (const [setting, value] of [
    ['appendonly', 'yes'],
    ['maxmemory-policy', 'noeviction'],
  ])
    demand((await redis(scene, 'CONFIG', 'GET', setting!)).includes(value!), `${setting} is ${value}`)
  await becomes('the alert holds', () => holds(scene, 'QueuesLost'))
  await talk(scene, 'after')
}

const queuesFull = async (scene: Scene): Promise<void> => {
  const { ben, spans } = scene
  const reader = await EventReader.register(ben, { event_types: ['message'], idle_queue_timeout: 3600 })
  // MAX_PENDING_EVENTS is 200 here.
  await times(260, 8, (place) => say(scene, `nobody reads number ${place}`))
  await becomes(
    'queues that nobody reads are closed',
    async () => (await ofQueues(scene, 'parley_event_queues_closed_total', 'reason="full"')) > 0,
  )
  const { body } = await ben.get('/events', { queue_id: reader.queueId, last_event_id: -1, dont_block: true })
  demand(body.code === 'BAD_EVENT_QUEUE_ID', 'its client is told')
  const rate = 'sum(rate(parley_event_queues_closed_total{reason="full"}[10m]))'
  await becomes('Prometheus sees it', async () => ((await ask(scene, rate))[0]?.value ?? 0) > 0)
  demand(
    spans.some(({ name }) => name.includes('registerQueue')),
    'registrations are traced',
  )
  await talk(scene, 'somebody reads')
}

const malformedRecords = async (scene: Scene): Promise<void> => {
  const { stack } = scene
  const brokers = stack.addresses.KAFKA_BROKERS!.split(',')
  const before = await ofQueues(scene, 'parley_event_records_skipped_total', 'reason="malformed"')
  await publishGarbage(brokers, 'client-events')
  await becomes(
    'it is counted',
    async () => (await ofQueues(scene, 'parley_event_records_skipped_total', 'reason="malformed"')) > before,
  )
  const logs = `${await logOf(scene, 'event-queue')}${await logOf(scene, 'event-queue-2')}`
  const line = logs
    .split('\n')
    .find((one) => one.includes('record set aside') && one.includes('client-events'))
  demand(line !== undefined && /"offset":\d+/.test(line), 'the log names topic and offset')
  await becomes('the alert holds', () => holds(scene, 'MalformedRecords'))
  // The partition went on.
  await talk(scene, 'behind what cannot be read')
}

const liveEventsLost = async (scene: Scene): Promise<void> => {
  const { stack, anna } = scene
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
}

export const eventRunbooks: Runbooks = {
  'outbox-not-draining': outboxNotDraining,
  'delivery-budget-burns': deliveryBudgetBurns,
  'register-budget-burns': registerBudgetBurns,
  'shard-behind': shardBehind,
  'shard-owned-twice': shardOwnedTwice,
  'shard-replays': shardReplays,
  'queues-lost': queuesLost,
  'queues-full': queuesFull,
  'malformed-records': malformedRecords,
  'live-events-lost': liveEventsLost,
}
