/**
 * `node test/load/side-by-side.ts FOLDER [--rounds 10]`: what a message alone takes here, and in another checkout with its
 * packages installed. Both systems stand at the same time and are asked in turns, so that what the machine does besides
 * slows them alike: a difference of a twentieth shows that is lost between one run of the bench and the next.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Stack, startStack } from '../../deploy/stack.ts'
import { latencies, quantile } from './measurements.ts'
import { peopleParley } from './parley.ts'
import type { Target } from './target.ts'

/** Messages of one turn. */
const perTurn = 400

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '10' } },
  allowPositionals: true,
})
const [other] = positionals
if (other === undefined)
  throw new Error('which checkout to compare with: node test/load/side-by-side.ts FOLDER')

interface Side {
  readonly name: string
  readonly stack: Stack
  readonly target: Target
  readonly dataDir: string
  readonly medians: number[]
}

const open = async (name: string, start: typeof startStack): Promise<Side> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-beside-'))
  const env = { ...process.env, LOG_LEVEL: 'warn' }
  const stack = await start({ dataDir, log: (line) => console.error(`${name}: ${line}`), env })
  const target = await peopleParley(stack.address, { senders: 2, receivers: 2, channels: 1 }, () => [])
  return { name, stack, target, dataDir, medians: [] }
}

const medianOf = (times: readonly number[]): number =>
  quantile(
    times.toSorted((a, b) => a - b),
    0.5,
  )

const { startStack: startOther } = (await import(
  pathToFileURL(join(resolve(other), 'deploy/stack.ts')).href
)) as { startStack: typeof startStack }
const sides = [await open('there', startOther), await open('here', startStack)]
try {
  for (const { target } of sides) await latencies(target)
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const { name, target, medians } of round % 2 === 0 ? sides : sides.toReversed()) {
      const median = medianOf(await latencies(target, perTurn))
      medians.push(median)
      console.log(`${name.padEnd(6)} ${median.toFixed(2)} ms`)
    }
  }
  for (const { name, medians } of sides) {
    console.log(`${name.padEnd(6)} median of ${medians.length} medians: ${medianOf(medians).toFixed(2)} ms`)
  }
} finally {
  for (const { target, stack, dataDir } of sides) {
    await target.stop()
    await stack.stop({ discardData: true })
    await rm(dataDir, { recursive: true, force: true })
  }
}
process.exit(0)
