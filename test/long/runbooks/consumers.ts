/** Runbooks about consumers of topics, and about webhooks. */
import { messagesTopic } from '@parley/contracts/channels/topics'
import { eventually, succeeded, World } from '@parley/testkit'
import { Receiver } from '../../acceptance/receivers/receiver.ts'
import { rest } from '../../faults/patient.ts'
import { publishDeadLetter, publishGarbage, recordsOf } from '../records.ts'
import {
  ask,
  becomes,
  demand,
  holds,
  hook,
  logOf,
  manage,
  metric,
  metrics,
  query,
  type Runbooks,
  readiness,
  type Scene,
  say,
  times,
} from './scene.ts'

const consumer = 'webhook-dispatcher.messages'
const brokersOf = ({ stack }: Scene) => stack.addresses.KAFKA_BROKERS!.split(',')
const tell = ({ anna }: Scene, bot: number, content: string) =>
  succeeded(anna.post('/messages', { type: 'direct', to: [bot], content }))

/** A server of bots for as long as something is done. */
const withReceiver = async (work: (receiver: Receiver) => Promise<void>): Promise<void> => {
  const receiver = await Receiver.start()
  try {
    await work(receiver)
  } finally {
    await receiver.stop()
  }
}

const ofConsumer = `consumer="${consumer}"`

/** The database lets nobody in, and messages go on. */
const lagBehind = async (scene: Scene, database: string, bot: number): Promise<void> => {
  const dispatcher = scene.stack.replica('webhook-dispatcher')
  await query(scene, 'identity', `ALTER DATABASE ${database} CONNECTION LIMIT 0`)
  await query(
    scene,
    'identity',
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
  )
  await times(60, 6, (place) => say(scene, `behind ${place}`))
  await tell(scene, bot, 'late')
  await becomes('/ready names its database', async () => /503 .*postgres/.test(await readiness(dispatcher)))
  await becomes(
    'the lag is told',
    async () => (await metric(dispatcher, 'parley_consumer_lag_records', ofConsumer)) > 0,
  )
  const rate = `sum(rate(parley_consumed_records_total{${ofConsumer}}[15s]))`
  await becomes('nothing is consumed', async () => (await ask(scene, rate))[0]?.value === 0)
}

const consumerLags = (scene: Scene): Promise<void> =>
  withReceiver(async (receiver) => {
    const { stack, anna } = scene
    const dispatcher = stack.replica('webhook-dispatcher')
    const bot = await hook(anna, 'lagging', `${receiver.url}/lagging`)
    await tell(scene, bot, 'at once')
    await receiver.call('/lagging', 1)
    // Its database lets nobody in.
    const { pathname } = new URL(stack.databaseUrls['webhook-dispatcher'])
    const name = pathname.slice(1)
    try {
      await lagBehind(scene, name, bot)
    } finally {
      await query(scene, 'identity', `ALTER DATABASE ${name} CONNECTION LIMIT -1`)
    }
    await receiver.call('/lagging', 2, 60)
    // A pod that is deleted goes on where its database says.
    await stack.kill('webhook-dispatcher', 'SIGKILL')
    await tell(scene, bot, 'after the pod was deleted')
    await stack.restart('webhook-dispatcher')
    await receiver.call('/lagging', 3, 60)
    await becomes(
      'there is no lag',
      async () => (await metric(dispatcher, 'parley_consumer_lag_records', ofConsumer)) === 0,
    )
    demand((await receiver.calls('/lagging')).length === 3, 'each message called once')
  })

const consumerReconnects = (scene: Scene): Promise<void> =>
  withReceiver(async (receiver) => {
    const { stack, anna } = scene
    const bot = await hook(anna, 'reconnecting', `${receiver.url}/reconnecting`)
    const dispatcher = stack.replica('webhook-dispatcher')
    await stack.stopEngine('kafka')
    await becomes(
      'the label says why it began anew',
      async () =>
        (await metrics(dispatcher)).some((line) =>
          /^parley_consumer_reconnections_total\{.*reason="(gave up|stuck)".*\} [1-9]/.test(line),
        ),
      120,
    )
    demand(/a consumer is replaced/.test(await logOf(scene, 'webhook-dispatcher')), 'the log says which')
    await stack.startEngine('kafka')
    await becomes('it is ready', () => dispatcher.ready())
    await tell(scene, bot, 'again')
    await receiver.call('/reconnecting', 1, 90)
  })

const deadLetters = (scene: Scene): Promise<void> =>
  withReceiver(async (receiver) => {
    const { stack, anna } = scene
    const brokers = brokersOf(scene)
    const dispatcher = stack.replica('webhook-dispatcher')
    const bot = await hook(anna, 'letters', `${receiver.url}/letters`)
    await publishGarbage(brokers, messagesTopic.name)
    await becomes(
      'it is counted',
      async () => (await metric(dispatcher, 'parley_dead_letters_total', `consumer="${consumer}"`)) > 0,
    )
    await becomes('the alert holds', () => holds(scene, 'DeadLetters'))
    // The partition went on.
    await tell(scene, bot, 'behind it')
    await receiver.call('/letters', 1)
    const { dead_letters } = JSON.parse(await manage(scene, 'show-dead-letters', '--consumer', consumer))
    demand(dead_letters.length > 0, 'the letters are shown')
    demand(
      dead_letters.every(({ reason }: { reason?: string }) => reason !== undefined),
      'each has its reason',
    )
    // What it would have done, had its version known: a message that names the bot.
    await succeeded(anna.post('/users/me/subscriptions', { subscriptions: [{ name: 'hall' }] }))
    const message = { type: 'channel', to: 'hall', topic: 'letters', content: 'for nobody' }
    const { id } = await succeeded(anna.post('/messages', message))
    const records = await eventually(async () => {
      const found = (await recordsOf(brokers, messagesTopic.name)).find(
        ({ value }) => value?.startsWith('{') && JSON.parse(value).message?.id === id,
      )
      if (found === undefined) throw new Error('the message is not in its topic yet')
      return found
    })
    const fact = { ...JSON.parse(records.value!), mentioned_user_ids: [bot] }
    await publishDeadLetter(brokers, {
      ...{ consumer, topic: messagesTopic.name, partition: 0, offset: 0, key: String(id) },
      ...{
        value: JSON.stringify(fact),
        headers: {},
        reason: 'Error: mended since',
        attempts: 5,
        at: new Date().toISOString(),
      },
    })
    for (let time = 0; time < 2; time += 1) await manage(scene, 'replay-dead-letters', '--consumer', consumer)
    await receiver.call('/letters', 2)
    await tell(scene, bot, 'afterwards')
    await receiver.call('/letters', 3)
    demand((await receiver.calls('/letters')).length === 3, 'it had its effect once')
  })

const webhookBudgetBurns = (scene: Scene): Promise<void> =>
  withReceiver(async (receiver) => {
    const { stack, anna } = scene
    const dispatcher = stack.replica('webhook-dispatcher')
    const bot = await hook(anna, 'budget', `${receiver.url}/budget`)
    await tell(scene, bot, 'at once')
    await receiver.call('/budget', 1)
    await stack.kill('webhook-dispatcher', 'SIGSTOP')
    await tell(scene, bot, 'late')
    await rest(8000)
    await stack.kill('webhook-dispatcher', 'SIGCONT')
    await receiver.call('/budget', 2, 60)
    const bucket = (le: string) =>
      metric(dispatcher, 'parley_webhook_first_attempt_seconds_bucket', `le="${le}"`)
    demand((await bucket('+Inf')) > (await bucket('5')), 'the histogram tells of it')
    await becomes(
      'the objective is missed',
      async () => (await ask(scene, 'slo:webhook_bad:ratio_rate5m > 0')).length > 0,
    )
    for (const name of [
      'parley_consumer_lag_records',
      'parley_webhook_late_seconds',
      'parley_webhook_calls_under_way',
    ])
      demand(
        (await metrics(dispatcher)).some((line) => line.startsWith(name)),
        `${name} is told`,
      )
    const further = await stack.startReplica('webhook-dispatcher')
    await stack.kill('webhook-dispatcher', 'SIGKILL')
    await tell(scene, bot, 'by the further pod')
    await receiver.call('/budget', 3, 60)
    await stack.restart('webhook-dispatcher')
    await further.stop()
  })

const webhooksLate = (scene: Scene): Promise<void> =>
  withReceiver(async (receiver) => {
    const { stack, anna } = scene
    const dispatcher = stack.replica('webhook-dispatcher')
    await receiver.say({ hang: true })
    const bots = [1, 2, 3].map((number) => hook(anna, `hanging${number}`, `${receiver.url}/hanging`))
    const ids: number[] = []
    for (const bot of bots) ids.push(await bot)
    await times(18, 3, (place) => tell(scene, ids[place % 3]!, `hang ${place}`))
    // WEBHOOK_CALLS is 6 here.
    await becomes(
      'it is saturated',
      async () => (await metric(dispatcher, 'parley_webhook_calls_under_way')) === 6,
    )
    await becomes(
      'what is due waits',
      async () => (await metric(dispatcher, 'parley_webhook_late_seconds')) > 3,
    )
    const further = await stack.startReplica('webhook-dispatcher')
    await becomes(
      'a further pod takes its part',
      async () => (await metric(further, 'parley_webhook_calls_under_way')) > 0,
    )
    // Nobody claims: claims are leases and return by themselves.
    await stack.kill('webhook-dispatcher', 'SIGKILL')
    await receiver.say({ status: 200, body: '' })
    await stack.restart('webhook-dispatcher')
    await becomes(
      'nothing is pending',
      async () => (await metric(dispatcher, 'parley_webhook_pending')) === 0,
      180,
    )
    await further.stop()
  })

const webhooksMostlyFail = async (scene: Scene): Promise<void> => {
  const { stack, anna } = scene
  const bot = await hook(anna, 'nobody', 'http://127.0.0.1:9/')
  await tell(scene, bot, 'anybody there?')
  const dispatcher = stack.replica('webhook-dispatcher')
  await becomes('the label says how calls end', async () =>
    (await metrics(dispatcher)).some((line) =>
      /^parley_webhook_call_duration_seconds_count\{outcome="(refused|unreachable)"\} [1-9]/.test(line),
    ),
  )
  const { deliveries } = await succeeded(anna.get(`/bots/${bot}/webhook/deliveries`))
  demand(deliveries.length > 0, 'the delivery log has it')
}

const realmPurgeStalls = async (scene: Scene): Promise<void> => {
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
  await eventually(async () => {
    const { state, services } = await status()
    const done = Object.keys(services).filter((name) => services[name]!.is_done)
    // Of the eight, the gateway holds nothing, and identity is last: it waits for all others.
    demand(
      state === 'purging' && done.length === 5 && !done.includes('uploads'),
      `only uploads is missing: ${state} ${JSON.stringify(services)}`,
    )
  }, 60)
  demand((await manage(scene, 'list-realms')).includes(world.subdomain), 'list-realms shows it')
  await stack.restart('uploads')
  await becomes('the organization is gone', async () =>
    status().then(
      ({ state }) => state !== 'purging',
      () => true,
    ),
  )
  const traces = JSON.parse(await manage(scene, 'realm-traces', '--realm-id', String(world.realmId)))
  demand(
    !/:\s*[1-9]/.test(JSON.stringify(traces.services ?? {})),
    `nothing is left of it: ${JSON.stringify(traces)}`,
  )
}

export const consumerRunbooks: Runbooks = {
  'consumer-lags': consumerLags,
  'consumer-reconnects': consumerReconnects,
  'dead-letters': deadLetters,
  'webhook-budget-burns': webhookBudgetBurns,
  'webhooks-late': webhooksLate,
  'webhooks-mostly-fail': webhooksMostlyFail,
  'realm-purge-stalls': realmPurgeStalls,
}
