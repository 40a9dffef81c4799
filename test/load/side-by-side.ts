/**
 * `node test/load/side-by-side.ts FOLDER [--rounds 10] [--sends]`: what a message alone takes here, and in another checkout
 * with its packages installed; or how many are stored per second. Both systems stand at the same time and are asked in
 * turns, so that what the machine does besides slows them alike: a difference of a twentieth shows that is lost between one
 * run of the bench and the next.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Stack, startStack } from '../../deploy/stack.ts'
import { latencies, quantile, sendRate, throughput } from './measurements.ts'
import { peopleParley } from './parley.ts'
import { costsText, cpuOf, cpuPer, processesOf } from './process-cpu.ts'
import type { Crowd, Target } from './target.ts'

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '10' }, sends: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [other] = positionals
if (other === undefined)
  throw new Error('which checkout to compare with: node test/load/side-by-side.ts FOLDER')

interface Comparison {
  readonly unit: string
  readonly crowd: Crowd
  readonly warm: (target: Target) => Promise<unknown>
  /** One turn: its figure. */
  readonly turn: (target: Target) => Promise<number>
}

const medianOf = (figures: readonly number[]): number =>
  quantile(
    figures.toSorted((a, b) => a - b),
    0.5,
  )

const aloneMessages: Comparison = {
  unit: 'ms',
  crowd: { senders: 2, receivers: 2, channels: 1 },
  warm: (target) => latencies(target),
  turn: async (target) => medianOf(await latencies(target, 400)),
}
const storedSends: Comparison = {
  unit: 'sends per second',
  crowd: { senders: 20, receivers: 20, channels: 10 },
  warm: (target) => throughput(target, 20, 5),
  turn: (target) => sendRate(target, 20, 4),
}
const { unit, crowd, warm, turn } = values.sends ? storedSends : aloneMessages

interface Side {
  readonly name: string
  readonly stack: Stack
  readonly target: Target
  readonly dataDir: string
  readonly figures: number[]
  /** Microseconds of each process per message, of every turn. */
  readonly costs: Record<string, number[]>
}

const open = async (name: string, start: typeof startStack): Promise<Side> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-beside-'))
  const env = { ...process.env, LOG_LEVEL: 'warn' }
  const stack = await start({ dataDir, log: (line) => console.error(`${name}: ${line}`), env })
  const target = await peopleParley(stack.address, crowd, () => [])
  return { name, stack, target, dataDir, figures: [], costs: {} }
}

const takeTurn = async ({ name, stack, target, figures, costs }: Side): Promise<void> => {
  const processes = processesOf(stack)
  const [before, sent] = [await cpuOf(processes), target.sends()]
  const figure = await turn(target)
  for (const [process, cost] of Object.entries(
    cpuPer(target.sends() - sent, before, await cpuOf(processes)),
  )) {
    costs[process] ??= []
    costs[process].push(cost)
  }
  figures.push(figure)
  console.log(`${name.padEnd(6)} ${figure.toFixed(2)} ${unit}`)
}

const { startStack: startOther } = (await import(
  pathToFileURL(join(resolve(other), 'deploy/stack.ts')).href
)) as { startStack: typeof startStack }
const sides = [await open('there', startOther), await open('here', startStack)]
try {
  for (const { target } of sides) await warm(target)
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await takeTurn(side)
  }
  for (const { name, figures, costs } of sides) {
    console.log(`${name.padEnd(6)} median of ${figures.length}: ${medianOf(figures).toFixed(2)} ${unit}`)
    const medians = Object.entries(costs)
      .map(([process, cost]) => [process, medianOf(cost)] as const)
      .toSorted(([, a], [, b]) => b - a)
    const sum = medians.reduce((total, [, cost]) => total + cost, 0)
    const each = costsText(Object.fromEntries(medians))
    console.log(`${name.padEnd(6)} CPU per message, us: ${sum.toFixed(0)} (${each})`)
  }
} finally {
  for (const { target, stack, dataDir } of sides) {
    await target.stop()
    await stack.stop({ discardData: true })
    await rm(dataDir, { recursive: true, force: true })
  }
}
process.exit(0)
