import { expect, it } from 'vitest'
import { summaryOf, tryFaults } from '../long/try-faults.ts'

/** The same in every run, so that a failure is about what was changed; `npm run test:faults` draws another each time. */
const seed = Number(process.env.FAULTS_SEED ?? 2)
const seconds = 120

it(
  `nobody loses, gets twice, out of order or without right anything through ${seconds} s of faults at random (FAULTS_SEED=${seed})`,
  async () => {
    const lines: string[] = []
    const run = { seconds, seed, log: (line: string) => void lines.push(line) }
    const report = await tryFaults(run)
    console.log(summaryOf(run, report))
    expect(report.problems, lines.join('\n')).toEqual([])
    // Faults did happen, of many kinds, and people did work.
    expect(report.injected.length).toBeGreaterThan(10)
    expect(new Set(report.injected.map(({ kind }) => kind)).size).toBeGreaterThan(8)
    expect(Math.min(...Object.values(report.done))).toBeGreaterThan(0)
  },
  (seconds + 480) * 1000,
)
