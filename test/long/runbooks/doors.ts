/** Runbooks about who comes in, how many, and about engines that fill up or lag. */
import { EventReader, succeeded } from '@parley/testkit'
import { request } from 'undici'
import { recordsOf } from '../records.ts'
import {
  ask,
  becomes,
  demand,
  holds,
  logOf,
  metric,
  query,
  type Runbooks,
  readiness,
  redis,
  type Scene,
  say,
  talk,
  times,
  withSettings,
} from './scene.ts'
import { withStandby } from './standby.ts'

const apiBudgetBurns = async (scene: Scene): Promise<void> => {
  const { stack, anna } = scene
  await stack.stopEngine('postgres')
  await times(20, 5, () => anna.get('/streams'))
  const refused = await anna.get('/streams')
  demand(refused.status === 503, `it is answered with 503: ${refused.status}`)
  await becomes('/ready names the engine', async () =>
    /503 .*postgres/.test(await readiness(stack.replica('channels'))),
  )
  const by = `sum by (operation, status) (rate(parley_request_duration_seconds_count{job="gateway",status=~"5.."}[5m]))`
  // People go on trying: Prometheus sees an increase only in what it has seen before.
  const burns = async (query: string): Promise<number> => {
    await times(5, 5, () => anna.get('/streams'))
    return (await ask(scene, query)).find(({ metric }) => (metric.status ?? '503') === '503')?.value ?? 0
  }
  await becomes('operation and status are told', async () => (await burns(by)) > 0)
  await becomes('the budget burns', async () => (await burns('slo:api_bad:ratio_rate5m > 0.0072')) > 0)
  await stack.startEngine('postgres')
  await becomes('services come back by themselves', async () => (await anna.get('/streams')).status === 200)
  await talk(scene, 'as before')
}

const gatewaySheds = async (scene: Scene): Promise<void> => {
  const { stack, world } = scene
  const gateway = stack.replica('gateway')
  const people = await Promise.all(Array.from({ length: 8 }, () => world.user()))
  // MAX_REQUESTS_PER_SERVICE is 150 here, MAX_POLLS 60.
  for (const number of [1, 2]) await stack.kill('channels', 'SIGSTOP', number)
  const asked = Array.from({ length: 240 }, (_, place) => people[place % 8]!.get('/streams'))
  await becomes(
    'how many are under way is told',
    async () =>
      (await metric(gateway, 'parley_gateway_requests_under_way', 'service="channels",kind="request"')) ===
      150,
  )
  await succeeded(people[0]!.get('/user_groups'))
  let answered = 0
  for (const one of asked) void one.then(() => (answered += 1))
  await becomes('those beyond the limit are answered', () => answered === 90)
  for (const number of [1, 2]) await stack.kill('channels', 'SIGCONT', number)
  const answers = await Promise.all(asked)
  const refused = answers.filter(({ status }) => status === 503)
  demand(refused.length === 90, `those beyond the limit are refused: ${refused.length}`)
  demand(
    refused.every(({ headers }) => headers['retry-after'] !== undefined),
    'they are told when to come back',
  )
  demand(
    answers.every(({ status }) => status === 200 || status === 503),
    'the others are answered',
  )
  const shed = `sum by (operation) (rate(parley_request_duration_seconds_count{job="gateway",status="503"}[5m]))`
  await becomes('which service is told by operation', async () =>
    (await ask(scene, shed)).some(({ metric }) => metric.operation === 'listChannels'),
  )
  // Polls: more gateways.
  const readers = await Promise.all(
    Array.from({ length: 80 }, (_, place) =>
      EventReader.register(people[place % 8]!, { event_types: ['message'] }),
    ),
  )
  const poll = (place: number, origin: string) => {
    const { email, key } = people[place % 8]!.credentials!
    const authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`
    const { queueId, state } = readers[place]!
    const wish = new URLSearchParams({ queue_id: queueId, last_event_id: String(state.last_event_id) })
    return { origin, path: `/api/v1/events?${wish}`, authorization }
  }
  await pollsBeyondLimit(scene, poll)
}

type Poll = (place: number, origin: string) => { origin: string; path: string; authorization: string }

const pollsBeyondLimit = async ({ stack, world }: Scene, poll: Poll): Promise<void> => {
  const leave = new AbortController()
  const statuses: number[] = []
  const ask = (place: number, origin: string): void => {
    const { path, authorization } = poll(place, origin)
    const wish = { headers: { host: world.host, authorization }, signal: leave.signal }
    request(`${origin}${path}`, wish).then(
      async ({ statusCode, body }) => {
        statuses.push(statusCode)
        await body.dump()
      },
      () => {},
    )
  }
  const gateway = stack.replica('gateway')
  for (let place = 0; place < 80; place += 1) ask(place, gateway.url)
  await becomes(
    'polls beyond the limit are refused',
    () => statuses.filter((status) => status === 503).length === 20,
  )
  const further = await stack.startReplica('gateway')
  for (let place = 60; place < 80; place += 1) ask(place, further.url)
  await becomes(
    'they wait at another gateway',
    async () => (await metric(further, 'parley_gateway_requests_under_way', 'kind="poll"')) === 20,
  )
  leave.abort()
  await further.stop()
}

const logInsFail = async (scene: Scene): Promise<void> => {
  const { world } = scene
  const person = await world.user({ password: 'correct horse battery' })
  const stranger = world.stranger()
  const tries = async (username: string, password: string) =>
    stranger.post('/fetch_api_key', { username, password })
  const statuses: number[] = []
  for (let time = 0; time < 6; time += 1) statuses.push((await tries(person.email, 'guess')).status)
  demand(
    statuses.slice(0, 5).every((status) => status === 401) && statuses[5] === 429,
    `names are limited: ${statuses}`,
  )
  await times(40, 4, (place) => tries(`nobody${place}@guessed.example`, 'guess'))
  const failing = `sum by (operation, status) (rate(parley_request_duration_seconds_count{job="gateway",operation=~"fetchApiKey|logIn",status="401"}[1m]))`
  await becomes('status and operation are told', async () => ((await ask(scene, failing))[0]?.value ?? 0) > 0)
  // A directory that is away.
  const directory = {
    LDAP_URL: 'ldap://127.0.0.1:9',
    LDAP_START_TLS: 'off',
    LDAP_USER_DN: 'uid={user},dc=example',
  }
  await withSettings(scene, 'identity', directory, async () => {
    const { status } = await tries((await world.user({ password: 'another horse battery' })).email, 'guess')
    demand(status === 401 || status === 503, `somebody is told: ${status}`)
    await becomes('the log of identity names the directory', async () =>
      /directory|ldap/i.test(await logOf(scene, 'identity')),
    )
  })
}

const manyRateLimited = async (scene: Scene): Promise<void> => {
  const { anna, world } = scene
  const wish = { full_name: 'Loop', short_name: `loop${Date.now()}`, bot_type: 1 }
  const made = await succeeded(anna.post('/bots', wish))
  const { bots } = await succeeded(anna.get('/bots'))
  const { username } = bots.find((bot: { full_name: string }) => bot.full_name === wish.full_name)
  const bot = world.stranger({ email: username, key: made.api_key })
  // RATE_LIMIT_USERS is 600/60 here.
  const statuses: number[] = []
  await times(900, 10, async () => void statuses.push((await bot.get('/users/me')).status))
  demand(statuses.filter((status) => status === 429).length === 300, 'what is over the limit is refused')
  // The loop goes on: Prometheus sees an increase only in what it has seen before.
  await becomes('the alert holds', async () => {
    await times(50, 5, () => bot.get('/users/me'))
    return holds(scene, 'ManyRateLimited')
  })
  await succeeded(anna.delete(`/bots/${made.user_id}`))
  await becomes('the bot is out', async () => (await bot.get('/users/me')).status === 401)
}

const volumeFillsUp = async (scene: Scene): Promise<void> => {
  await query(scene, 'identity', `SELECT pg_create_physical_replication_slot('dead', true)`)
  const slots = `SELECT slot_name, active, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint AS held FROM pg_replication_slots`
  for (let time = 0; time < 20; time += 1) await say(scene, `held ${time}`)
  const [slot] = await query(scene, 'identity', slots)
  demand(
    slot!.slot_name === 'dead' && slot!.active === false && Number(slot!.held) > 0,
    'a slot that nobody reads holds WAL',
  )
  await query(scene, 'identity', `SELECT pg_drop_replication_slot('dead')`)
  demand((await query(scene, 'identity', slots)).length === 0, 'it is dropped')
  const growth = await redis(scene, 'CONFIG', 'GET', 'auto-aof-rewrite-percentage')
  demand(/\b100\b/.test(growth), `Redis rewrites its log when it doubles: ${growth}`)
  await redis(scene, 'BGREWRITEAOF')
  demand(
    (await recordsOf(scene.stack.addresses.KAFKA_BROKERS!.split(','), 'client-events')).length > 0,
    'Kafka keeps them',
  )
  await succeeded(scene.anna.patch('/realm', { message_retention_days: 30 }))
  await succeeded(scene.anna.patch('/realm', { message_retention_days: 'unlimited' }))
  await talk(scene, 'as before')
}

/** A second Postgres follows the first, a long query keeps it back, and is ended. */
const replicationLags = (scene: Scene): Promise<void> =>
  withStandby(scene, async (standby) => {
    await becomes(
      'it follows',
      async () => (await query(scene, 'identity', 'SELECT * FROM pg_stat_replication')).length === 1,
    )
    const replayed =
      'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint AS behind FROM pg_stat_replication'
    const behind = async () => Number((await query(scene, 'identity', replayed))[0]?.behind)
    await query(scene, 'identity', 'CREATE TABLE read_for_long AS SELECT 1 AS one')
    await becomes(
      'it has all',
      async () => (await standby.query(`SELECT to_regclass('read_for_long') AS it`))[0]!.it !== null,
    )
    await standby.readForLong('read_for_long')
    // Replaying this waits for whoever reads there.
    await query(scene, 'identity', 'DROP TABLE read_for_long')
    await times(20, 2, (place) => say(scene, `ahead ${place}`))
    await becomes('it stays behind', async () => (await behind()) > 4096)
    const reading = `SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`
    const [found] = await standby.query(reading)
    demand(found !== undefined, 'the long query is in the list')
    await standby.query(`SELECT pg_terminate_backend(${Number(found!.pid)})`)
    await becomes('it has caught up', async () => (await behind()) < 4096)
  })

export const doorRunbooks: Runbooks = {
  'api-budget-burns': apiBudgetBurns,
  'gateway-sheds': gatewaySheds,
  'log-ins-fail': logInsFail,
  'many-rate-limited': manyRateLimited,
  'volume-fills-up': volumeFillsUp,
  'replication-lags': replicationLags,
}
