/** People of all kinds use two processes of each service while faults happen at random, two at a time. */
import { seededRandom } from '@parley/testkit'
import { comesTrue, rest } from '../faults/patient.ts'
import { Crowd } from './crowd/crowd.ts'
import { chosen, faultsOf } from './faults.ts'
import { deadLetters } from './records.ts'
import { type ReplicatedStack, replicatedStack } from './replicated-stack.ts'

/** Seconds that everything has to become whole after the last fault, and then to arrive. */
const patience = 120

interface Injected {
  /** Milliseconds since the beginning. */
  readonly at: number
  readonly kind: string
  /** Milliseconds. */
  readonly lasting: number
}

export interface FaultReport {
  readonly injected: readonly Injected[]
  /** What was acknowledged, by who did it. */
  readonly done: Readonly<Record<string, number>>
  readonly repeated: number
  readonly problems: readonly string[]
}

export interface FaultRun {
  readonly seconds: number
  /** Which faults come in which order, and how long each lasts. */
  readonly seed: number
  readonly log: (line: string) => void
}

/** Faults, one after another, until the time is over; of two faults of one part only one happens at a time. */
const injectFaults = async (
  stack: ReplicatedStack,
  { seconds, seed, log }: FaultRun,
  problems: string[],
): Promise<Injected[]> => {
  const injected: Injected[] = []
  const began = Date.now()
  const groups = faultsOf(stack)
  /** Parts of the system to which something is being done. */
  const busy = new Set<string>()
  const worker = async (random: () => number): Promise<void> => {
    const between = (low: number, high: number): number => Math.round(low + random() * (high - low))
    while (Date.now() < began + seconds * 1000) {
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
      log(`${(at / 1000).toFixed(1).padStart(7)} s  ${fault.kind}, ${lasting} ms, whole after ${took} ms`)
      busy.delete(fault.part)
      await rest(after)
    }
  }
  await Promise.all([worker(seededRandom(seed)), worker(seededRandom(seed + 500_000))])
  return injected
}

/** Those that are not ready, once all are or patience has ended. */
const stillAway = async (stack: ReplicatedStack): Promise<string[]> => {
  let away = stack.services.map(({ name }) => name)
  let isOver = false
  const look = async (): Promise<void> => {
    while (!isOver) {
      const ready = await Promise.all(stack.services.map((replica) => replica.ready()))
      away = stack.services.filter((_, place) => !ready[place]).map(({ name }) => name)
      await rest(200)
    }
  }
  const looking = look()
  await comesTrue(() => away.length === 0, patience)
  isOver = true
  await looking
  return away
}

/**
 * Brings up a system, uses it, hurts it, and compares every client's log with what was acknowledged and with what is stored.
 */
export const tryFaults = async (run: FaultRun): Promise<FaultReport> => {
  const stack = await replicatedStack(run.log, { withLines: true })
  const problems: string[] = []
  try {
    const crowd = await Crowd.start(stack.address, { pause: 50 })
    const injected = await injectFaults(stack, run, problems)
    const away = await stillAway(stack)
    if (away.length > 0) problems.push(`not ready two minutes after the last fault: ${away.join(', ')}`)
    problems.push(...(await crowd.finish(patience)))
    for (const { name, reason, tail } of stack.deaths) {
      // Whose engine is away when it starts ends, and was started again.
      if (!tail.includes('"msg":"could not start"')) problems.push(`${name} died: ${reason}`)
    }
    for (const { consumer, topic, reason } of await deadLetters(stack.addresses.KAFKA_BROKERS!.split(',')))
      problems.push(`set aside by ${consumer}, of ${topic}: ${reason}`)
    return { injected, done: crowd.done, repeated: crowd.failures.length, problems }
  } finally {
    await stack.end()
  }
}

/** How it went, for people. */
export const summaryOf = ({ seed }: FaultRun, { injected, done, repeated, problems }: FaultReport): string =>
  `seed ${seed}: ${injected.length} faults of ${new Set(injected.map(({ kind }) => kind)).size} kinds, ` +
  `${JSON.stringify(done)} acknowledged, ${repeated} requests repeated, ${problems.length} problems`
