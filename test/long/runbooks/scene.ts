/** What those who follow runbooks have at hand: what an operator would look at, as words. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ServiceName } from '@parley/contracts'
import { openDatabase } from '@parley/db'
import {
  EventReader,
  eventually,
  type ReceivedSpan,
  succeeded,
  type TestUser,
  type World,
} from '@parley/testkit'
import { checkout } from '../../../deploy/checkout.ts'
import { conditionOf } from '../../../deploy/observability/conditions.ts'
import type { ServiceWithDatabase } from '../../../deploy/preparation.ts'
import type { ServiceReplica } from '../../../deploy/service-replica.ts'
import type { Stack } from '../../../deploy/stack.ts'

export interface Scene {
  readonly stack: Stack
  readonly dataDir: string
  /** What processes of services are set to at their next start. */
  readonly settings: NodeJS.ProcessEnv
  /** Of every request. */
  readonly spans: readonly ReceivedSpan[]
  readonly world: World
  /** Owner of the organization. */
  readonly anna: TestUser
  readonly ben: TestUser
}

/** Causes what a runbook is for, looks where it says to look, and does what it says to do; throws where it is not so. */
type Follow = (scene: Scene) => Promise<void>
/** By the name of the file in deploy/runbooks. */
export type Runbooks = Readonly<Record<string, Follow>>

export const run = promisify(execFile)

export const demand = (isSo: boolean, what: string): void => {
  if (!isSo) throw new Error(`not so: ${what}`)
}
export const becomes = (what: string, isSo: () => Promise<boolean> | boolean, seconds = 60): Promise<void> =>
  eventually(async () => demand(await isSo(), what), seconds)

export const metrics = async (replica: ServiceReplica): Promise<string[]> =>
  (await (await fetch(`${replica.opsUrl}/metrics`)).text()).split('\n')

/** The sum of a metric's samples that have a label; 0 without any. */
export const metric = async (replica: ServiceReplica, name: string, label = ''): Promise<number> =>
  (await metrics(replica))
    .filter((line) => (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)

/** The answer of `/ready`: the status, and what it says. */
export const readiness = async (replica: ServiceReplica): Promise<string> => {
  const answer = await fetch(`${replica.opsUrl}/ready`).catch(() => undefined)
  return answer === undefined ? 'no answer' : `${answer.status} ${await answer.text()}`
}

/** What a process has logged. */
export const logOf = ({ stack }: Scene, name: string): Promise<string> =>
  readFile(join(stack.logsDir, `${name}.log`), 'utf8')

/** Samples of a query at Prometheus, each with its labels. */
export const ask = async (
  { stack }: Scene,
  query: string,
): Promise<{ metric: Record<string, string>; value: number }[]> => {
  const answer = await fetch(`${stack.prometheusUrl}/api/v1/query?query=${encodeURIComponent(query)}`)
  const { data, error } = (await answer.json()) as {
    data?: { result: { metric: Record<string, string>; value: [number, string] }[] }
    error?: string
  }
  if (data === undefined) throw new Error(`Prometheus: ${error}`)
  return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
}

/** Whether an alert's condition holds at this moment; not for how long it has. */
export const holds = async (scene: Scene, alert: string): Promise<boolean> =>
  (await ask(scene, await conditionOf(alert))).length > 0

/** Rows that an administrator of the database server is shown, in the database of a service. */
export const query = async (
  { stack }: Scene,
  service: ServiceWithDatabase,
  text: string,
): Promise<Record<string, unknown>[]> => {
  const url = new URL(stack.addresses.DATABASE_URL!)
  url.pathname = new URL(stack.databaseUrls[service]).pathname
  const database = await openDatabase({ url: url.href, service: 'runbook', poolSize: 1 })
  try {
    return [...(await database.sql.unsafe(text))]
  } finally {
    await database.close()
  }
}

export const redis = async ({ stack }: Scene, ...command: string[]): Promise<string> => {
  const { hostname, port } = new URL(stack.addresses.REDIS_URL!)
  return (await run('redis-cli', ['-h', hostname, '-p', port, ...command])).stdout
}

export const manage = async ({ stack }: Scene, ...args: string[]): Promise<string> => {
  const { identityUrl: IDENTITY_URL, manageKey: SIGNING_KEY } = stack.address
  const { KAFKA_BROKERS } = stack.addresses
  const env = { ...process.env, IDENTITY_URL, SIGNING_KEY, KAFKA_BROKERS }
  const command = ['deploy/manage/main.ts', ...args, '--json']
  return (await run(process.execPath, command, { cwd: checkout, env })).stdout
}

/** Restarts a process with other settings, does something, and restarts it with those of before. */
export const withSettings = async (
  { stack, settings }: Scene,
  service: ServiceName,
  changes: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<void> => {
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, settings[name]]))
  Object.assign(settings, changes)
  try {
    await stack.restart(service)
    await work()
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete settings[name]
      else settings[name] = value
    }
    await stack.restart(service)
  }
}

/** Whether a message still comes to somebody who waits. */
export const talk = async ({ anna, ben }: Scene, content: string): Promise<void> => {
  const reader = await EventReader.register(ben, { event_types: ['message'] })
  await say({ anna, ben }, content)
  await reader.waitFor((event) => event.type === 'message', 60)
}

export const say = ({ anna, ben }: Pick<Scene, 'anna' | 'ben'>, content: string): Promise<{ id: number }> =>
  succeeded(anna.post('/messages', { type: 'direct', to: [ben.id], content }))

/** Does something so many times, so many at once. */
export const times = async (
  count: number,
  atOnce: number,
  work: (place: number) => Promise<unknown>,
): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** A bot whose messages go to an address; what is sent to it in private calls it. */
export const hook = async (anna: TestUser, name: string, payload_url: string): Promise<number> => {
  const wish = { full_name: name, short_name: name, bot_type: 3, payload_url }
  return (await succeeded(anna.post('/bots', wish))).user_id
}
