/**
 * `npm run roll`: while people talk, takes a running system to a newer version, whose schema the present one has never heard
 * of, and back again: every service, one process after the other. Says whether anybody noticed: failed requests, lost queues,
 * missing or repeated events, and how long sends took before and meanwhile.
 */
import { parseArgs } from 'node:util'
import { type ServiceName, serviceNames } from '@parley/contracts'
import { checkout } from '../../deploy/checkout.ts'
import { Workload } from '../faults/workload.ts'
import { quantile } from '../load/measurements.ts'
import { newerVersion } from './newer-version.ts'
import { type ReplicatedStack, replicatedStack } from './replicated-stack.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '15' }, only: { type: 'string' } },
})
const rolled = serviceNames.filter((name) => values.only?.split(',').includes(name) ?? true)
/** Seconds after which gateways have noticed that a process is back (they look every 2): a Service knows at once. */
const noticed = 3
const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))
const milliseconds = (times: readonly number[]) => {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => `${quantile(sorted, share).toFixed(0)} ms`
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} (${times.length} sends)`
}

/** Ends and starts each process in turn; the new one has the code in `folder`. Says what it cost people. */
const roll = async (
  stack: ReplicatedStack,
  work: Workload,
  folder: string,
  services: readonly ServiceName[],
): Promise<void> => {
  for (const service of services) {
    const [began, failedBefore] = [Date.now(), work.failures.length]
    for (const number of [1, 2]) {
      const replica = stack.replica(service, number)
      replica.version = folder
      // As a pod's preStop has it (k8s/base/service-workload.yaml): forgotten first, ended then.
      stack.balancer.forget(replica)
      await pause(1)
      await stack.restart(service, number)
      stack.balancer.know(replica)
      await pause(noticed)
    }
    const [seconds, failed] = [(Date.now() - began) / 1000, work.failures.length - failedBefore]
    console.log(`  ${service.padEnd(18)} ${seconds.toFixed(1)} s, ${failed} failed requests`)
  }
}

/** What a process says of itself while the schema is too old for it. */
const waitsForSchema = async (opsUrl: string): Promise<boolean> => {
  const answer = await fetch(`${opsUrl}/ready`).catch(() => undefined)
  return answer?.status === 503 && (await answer.text()).includes('migrations are pending')
}

/** A process of the newer version that comes before its migrations: it waits for them, and the other one serves. */
const comeTooEarly = async (
  stack: ReplicatedStack,
  folder: string,
  migrate: () => Promise<void>,
): Promise<void> => {
  const early = stack.replica('channels', 2)
  early.version = folder
  const restarted = stack.restart('channels', 2)
  const until = Date.now() + 60_000
  while (!(await waitsForSchema(early.opsUrl))) {
    if (Date.now() > until) throw new Error('a process of a newer version did not wait for its schema')
    await pause(0.2)
  }
  await pause(2)
  if (!(await waitsForSchema(early.opsUrl))) throw new Error('it did not go on waiting')
  const began = Date.now()
  await migrate()
  console.log(`  migrations of all databases ${((Date.now() - began) / 1000).toFixed(1)} s, under load`)
  await restarted
  await pause(noticed)
}

const stack = await replicatedStack((line) => console.error(line))
const newer = await newerVersion()
let isWell = false
try {
  const work = await Workload.start(stack.address, { senders: 4, receivers: 6, pause: 50 })
  const report = (what: string) => console.log(`${what}: ${milliseconds(work.sendTimes.splice(0))}`)
  await pause(Number(values.seconds))
  report('before')
  const failedBefore = work.failures.length
  console.log('to the newer version')
  await comeTooEarly(stack, newer.folder, () => newer.migrate(stack))
  await roll(stack, work, newer.folder, rolled)
  report('on the way there')
  console.log('back to the present version, on the newer schema')
  await roll(stack, work, checkout, rolled)
  report('on the way back')
  const problems = await work.finish()
  const failures = work.failures.slice(failedBefore)
  console.log(
    `${work.acknowledged.length} messages, ${failures.length} failed requests, ${problems.length} problems`,
  )
  for (const [line, { length }] of Map.groupBy(failures, (line) => line)) {
    console.log(`  ${length} times ${line}`)
  }
  for (const line of problems) console.log(`  ${line}`)
  isWell = failures.length === 0 && problems.length === 0
} finally {
  await stack.end()
  await newer.remove()
}
process.exit(isWell ? 0 : 1)
