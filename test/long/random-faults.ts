/**
 * `npm run test:faults -- --minutes N [--seed S] [--json FILE]`: people of all kinds use two processes of each service while
 * faults happen at random, two at a time; at the end every client's log is compared with what was acknowledged and with what
 * is stored. The seed decides which faults come in which order, and how long each lasts.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { summaryOf, tryFaults } from './try-faults.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '2' }, seed: { type: 'string' }, json: { type: 'string' } },
})
const run = {
  seconds: Number(values.minutes) * 60,
  seed: Number(values.seed ?? Date.now() % 1_000_000),
  log: (line: string) => console.log(line),
}
const report = await tryFaults(run)
console.log(summaryOf(run, report))
for (const problem of report.problems) console.log(`  ${problem}`)
if (values.json !== undefined) {
  const { seconds, seed } = run
  await writeFile(values.json, `${JSON.stringify({ seed, seconds, ...report }, null, 2)}\n`)
}
process.exit(report.problems.length === 0 ? 0 : 1)
