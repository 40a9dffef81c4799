/**
 * `npm run test:faults -- --minutes N [--seed S] [--json FILE]`: people talk through two processes of each service while
 * faults happen at random, one or two at a time; at the end every client's log is compared with what was acknowledged:
 * lost, repeated, out of order, queues gone, stuck. The seed decides which fault comes when and how long it lasts.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { seededRandom } from '@parley/testkit'
import { Workload } from '../faults/workload.ts'
import { faultsOf } from './faults.ts'
import { replicatedStack } from './replicated-stack.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '2' }, seed: { type: 'string' }, json: { type: 'string' } },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)

const random = seededRandom(seed)
const between = (low: number, high: number): number => low + random() * (high - low)
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const stack = await replicatedStack((line) => console.error(line))
const injected: { at: number; kind: string; lasting: number }[] = []
let problems: string[] = ['the run did not come to its end']
try {
  const work = await Workload.start(stack.address, { senders: 4, receivers: 6, pause: 50 })
  const began = Date.now()
  const end = began + Number(values.minutes) * 60_000
  const faults = faultsOf(stack, random)
  /** Parts of the system to which something is being done. */
  const busy = new Set<string>()
  const worker = async (): Promise<void> => {
    while (Date.now() < end) {
      const fault = faults[Math.floor(random() * faults.length)]!
      const lasting = Math.round(between(200, 3000))
      const part = fault.kind.split(':')[0]!
      if (busy.has(part)) {
        await pause(50)
        continue
      }
      busy.add(part)
      injected.push({ at: Date.now() - began, kind: fault.kind, lasting })
      console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(7)} s  ${fault.kind}, ${lasting} ms`)
      await fault.inject(lasting)
      busy.delete(part)
      await pause(between(200, 1500))
    }
  }
  await Promise.all([worker(), worker()])
  problems = await work.finish(120)
  const kinds = new Set(injected.map(({ kind }) => kind))
  console.log(
    `seed ${seed}: ${injected.length} faults of ${kinds.size} kinds, ${work.acknowledged.length} messages acknowledged, ` +
      `${work.failures.length} requests repeated, ${problems.length} problems`,
  )
  for (const problem of problems) console.log(`  ${problem}`)
  if (values.json !== undefined) {
    const report = {
      seed,
      minutes: Number(values.minutes),
      injected,
      acknowledged: work.acknowledged.length,
      problems,
    }
    await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`)
  }
} finally {
  await stack.end()
}
process.exit(problems.length === 0 ? 0 : 1)
