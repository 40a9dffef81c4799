/**
 * `npm run test:faults -- --minutes N [--seed S] [--json FILE]`: people of all kinds use two processes of each service while
 * faults happen at random, two at a time; at the end every client's log is compared with what was acknowledged and with what
 * is stored. The seed decides which faults come in which order, and how long each lasts.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { seededRandom } from '@parley/testkit'
import { comesTrue, rest } from '../faults/patient.ts'
import { unforeseenErrors } from '../telemetry/unforeseen-errors.ts'
import { Crowd } from './crowd/crowd.ts'
import { chosen, faultsOf } from './faults.ts'
import { deadLetters } from './records.ts'
import { replicatedStack } from './replicated-stack.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '2' }, seed: { type: 'string' }, json: { type: 'string' } },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
/** Seconds that everything has to become whole after the last fault, and then to arrive. */
const patience = 120

const stack = await replicatedStack((line) => console.error(line), { withLines: true })
const injected: { at: number; kind: string; lasting: number }[] = []
const problems: string[] = []
let isOver = false
const brokers = stack.addresses.KAFKA_BROKERS!.split(',')
try {
  const crowd = await Crowd.start(stack.address, { pause: 50 })
  const began = Date.now()
  const end = began + Number(values.minutes) * 60_000
  const groups = faultsOf(stack)
  /** Parts of the system to which something is being done. */
  const busy = new Set<string>()
  const worker = async (random: () => number): Promise<void> => {
    const between = (low: number, high: number): number => Math.round(low + random() * (high - low))
    while (Date.now() < end) {
      const fault = chosen(groups, random)
      const [lasting, which, after] = [between(200, 3000), between(1, 2), between(200, 1500)]
      while (busy.has(fault.part)) await rest(50)
      busy.add(fault.part)
      const at = Date.now() - began
      injected.push({ at, kind: fault.kind, lasting })
      await fault.inject(lasting, which).catch((error: unknown) => {
        problems.push(`after "${fault.kind}" it did not come back: ${error}`)
      })
      const took = Date.now() - began - at
      console.log(
        `${(at / 1000).toFixed(1).padStart(7)} s  ${fault.kind}, ${lasting} ms, whole after ${took} ms`,
      )
      busy.delete(fault.part)
      await rest(after)
    }
  }
  await Promise.all([worker(seededRandom(seed)), worker(seededRandom(seed + 500_000))])

  let ready: boolean[] = []
  const look = async (): Promise<void> => {
    while (!isOver) {
      ready = await Promise.all(stack.services.map((replica) => replica.ready()))
      await rest(200)
    }
  }
  void look()
  const isReady = () => ready.length > 0 && ready.every(Boolean)
  if (!(await comesTrue(isReady, patience))) {
    const names = stack.services.filter((_, place) => !ready[place]).map(({ name }) => name)
    problems.push(`not ready two minutes after the last fault: ${names.join(', ')}`)
  }
  problems.push(...(await crowd.finish(patience)))
  for (const { name, reason, tail } of stack.deaths) {
    // Whose engine is away when it starts ends, and was started again.
    if (!tail.includes('"msg":"could not start"')) problems.push(`${name} died: ${reason}`)
  }
  problems.push(...(await unforeseenErrors(stack.logsDir)))
  for (const { consumer, topic, reason } of await deadLetters(brokers))
    problems.push(`set aside by ${consumer}, of ${topic}: ${reason}`)

  const kinds = new Set(injected.map(({ kind }) => kind))
  const done = crowd.done
  console.log(
    `seed ${seed}: ${injected.length} faults of ${kinds.size} kinds, ${JSON.stringify(done)} acknowledged, ` +
      `${crowd.failures.length} requests repeated, ${problems.length} problems`,
  )
  for (const problem of problems) console.log(`  ${problem}`)
  if (values.json !== undefined) {
    const report = { seed, minutes: Number(values.minutes), kinds: kinds.size, injected, done, problems }
    await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`)
  }
  isOver = true
} finally {
  await stack.end()
}
// What did not come to its end is no success either.
process.exit(isOver && problems.length === 0 ? 0 : 1)
