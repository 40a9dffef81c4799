/**
 * `node test/load/export-memory.ts [--messages 20000,200000]`: resident memory of the services that write an archive, before and
 * at most, for organizations of so many messages. What is bounded does not grow with them.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { exportForOperator, showExport } from '@parley/contracts/identity/realm-data-questions'
import { succeeded, type TestUser, World } from '@parley/testkit'
import { type Stack, startStack } from '../../deploy/stack.ts'
import { seedMessages } from './narrow-seed.ts'

const { values } = parseArgs({ options: { messages: { type: 'string', default: '20000,200000' } } })
const writers = ['identity', 'channels', 'uploads'] as const

const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

const organizationOf = async (stack: Stack, messages: number): Promise<World> => {
  const world = await World.create(stack.address)
  const people: TestUser[] = []
  while (people.length < 20) people.push(await world.user())
  const principals = people.map(({ id }) => id)
  const channelIds: number[] = []
  for (const name of ['one', 'two', 'three', 'four']) {
    await succeeded(people[0]!.post('/users/me/subscriptions', { subscriptions: [{ name }], principals }))
    channelIds.push((await succeeded(people[0]!.get('/get_stream_id', { stream: name }))).stream_id)
  }
  await succeeded(people[0]!.post('/messages', { type: 'direct', to: [people[1]!.id], content: 'hello' }))
  const place = { realmId: world.realmId, readerId: people[0]!.id, userIds: principals, channelIds }
  await seedMessages(stack.databaseUrls.channels, place, messages)
  return world
}

const dataDir = await mkdtemp(join(tmpdir(), 'parley-exports-'))
const stack = await startStack({
  dataDir,
  log: (line) => console.error(line),
  env: { ...process.env, LOG_LEVEL: 'warn' },
})
try {
  for (const messages of values.messages.split(',').map(Number)) {
    const { ask, subdomain } = await organizationOf(stack, messages)
    const memory = () => writers.map((service) => residentMiB(stack.replica(service).pid!))
    const before = memory()
    let most = before
    const began = performance.now()
    const { export_id } = await ask(exportForOperator, {
      realm: subdomain,
      export_type: 'full_without_consent',
    })
    let state = await ask(showExport, { export_id })
    while (state.state === 'pending') {
      await pause(50)
      const now = memory()
      most = most.map((mib, place) => Math.max(mib, now[place]!))
      state = await ask(showExport, { export_id })
    }
    const figures = writers.map(
      (service, n) => `${service} ${before[n]!.toFixed(0)} -> ${most[n]!.toFixed(0)}`,
    )
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const size = ((state.bytes ?? 0) / 1024 / 1024).toFixed(1)
    console.log(
      `${messages} messages: ${state.state} in ${seconds} s, ${size} MiB; MiB resident: ${figures.join(', ')}`,
    )
  }
} finally {
  await stack.stop({ discardData: true })
  await rm(dataDir, { recursive: true, force: true })
}
process.exit(0)
