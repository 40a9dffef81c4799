/**
 * `npm run runbooks`: brings up a system with Prometheus, causes what a runbook is for, looks where it says to look, does what
 * it says to do, and sees that all is well again. What a runbook says of Kubernetes is done to processes instead: a pod that is
 * deleted is a process that is killed and started. `-- --only NAME,...` follows some of them; `-- --list` names them.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTraceReceiver, World } from '@parley/testkit'
import { checkout } from '../../deploy/checkout.ts'
import { startStack } from '../../deploy/stack.ts'
import { consumerRunbooks } from './runbooks/consumers.ts'
import { doorRunbooks } from './runbooks/doors.ts'
import { eventRunbooks } from './runbooks/events.ts'
import { podRunbooks } from './runbooks/pods.ts'
import { becomes, type Runbooks, type Scene, talk } from './runbooks/scene.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, list: { type: 'boolean' } } })

const runbooks: Runbooks = { ...podRunbooks, ...eventRunbooks, ...consumerRunbooks, ...doorRunbooks }
const written = (await readdir(join(checkout, 'deploy/runbooks'))).map((name) => name.replace(/\.md$/, ''))
const unfollowed = written.filter((name) => runbooks[name] === undefined)
if (values.list === true || unfollowed.length > 0) {
  console.log(Object.keys(runbooks).join('\n'))
  for (const name of unfollowed) console.error(`nobody follows ${name}`)
  process.exit(unfollowed.length === 0 ? 0 : 1)
}
const chosen = Object.entries(runbooks).filter(([name]) => values.only?.split(',').includes(name) ?? true)

/** Small limits, so that they can be reached, and everything traced. */
const small = {
  LOG_LEVEL: 'info',
  TRACE_RATIO: '1',
  RATE_LIMITS: 'on',
  RATE_LIMIT_USERS: '600/60',
  RATE_LIMIT_ANONYMOUS: '100000/60',
  MAX_REQUESTS_PER_SERVICE: '150',
  MAX_POLLS: '60',
  MAX_PENDING_EVENTS: '200',
  WEBHOOK_CALLS: '6',
  MIN_DEACTIVATED_REALM_DELETION_DAYS: 'none',
}
const dataDir = await mkdtemp(join(tmpdir(), 'parley-runbooks-'))
const traces = await startTraceReceiver()
const settings: NodeJS.ProcessEnv = { ...process.env, ...small, OTEL_EXPORTER_OTLP_ENDPOINT: traces.url }
const stack = await startStack({
  dataDir,
  log: (line) => console.error(line),
  replicas: { channels: 2, 'event-queue': 2 },
  observe: true,
  env: settings,
})
/** Those that were there in the beginning: runbooks add some for a while. */
const residents = [...stack.services]
const failed: string[] = []

/** Whatever a runbook left behind when it was not so: the next one finds a whole system. */
const mend = async (scene: Scene): Promise<void> => {
  for (const one of stack.services) {
    one.version = checkout
    if (one.running) await one.kill('SIGCONT')
    if (!residents.includes(one)) await one.stop()
  }
  for (const { name } of stack.engines) await stack.startEngine(name)
  for (const one of residents) if (!one.running) await one.start()
  for (const one of residents) await becomes(`${one.name} is ready`, () => one.ready())
  await talk(scene, 'all is well')
}

try {
  for (const [name, follow] of chosen) {
    const world = await World.create(stack.address)
    const [anna, ben] = [await world.user({ role: 'owner' }), await world.user()]
    const scene: Scene = { stack, dataDir, settings, spans: traces.spans, world, anna, ben }
    const began = Date.now()
    const seconds = () => ((Date.now() - began) / 1000).toFixed(1)
    try {
      await follow(scene)
      await talk(scene, 'all is well')
      console.log(`${name.padEnd(24)} followed in ${seconds()} s`)
    } catch (error) {
      failed.push(name)
      console.log(
        `${name.padEnd(24)} FAILED after ${seconds()} s: ${error instanceof Error ? error.stack : error}`,
      )
      await mend(scene).catch((left: unknown) => console.log(`not mended: ${left}`))
    }
  }
} finally {
  await stack.stop({ discardData: true })
  await traces.stop()
  if (process.env.KEEP_TEST_LOGS === undefined) await rm(dataDir, { recursive: true, force: true })
  else console.error(`logs: ${stack.logsDir}`)
}
console.log(
  `${chosen.length - failed.length} of ${chosen.length} runbooks followed${failed.length > 0 ? `; not: ${failed.join(', ')}` : ''}`,
)
process.exit(failed.length === 0 ? 0 : 1)
