/**
 * `npm run roll`: rolls every service of a running system, one process after the other, while people talk, and says whether
 * anybody noticed: failed requests, lost queues, missing or repeated events, and how long sends took before and meanwhile.
 */
import { parseArgs } from 'node:util'
import { serviceNames } from '@parley/contracts'
import { Workload } from '../faults/workload.ts'
import { quantile } from '../load/measurements.ts'
import { replicatedStack } from './replicated-stack.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '15' } } })
const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))
const milliseconds = (times: readonly number[]) => {
  const sorted = times.toSorted((a, b) => a - b)
  return `p50 ${quantile(sorted, 0.5).toFixed(0)} ms, p99 ${quantile(sorted, 0.99).toFixed(0)} ms (${times.length} sends)`
}

const stack = await replicatedStack((line) => console.error(line))
let isWell = false
try {
  const work = await Workload.start(stack.address, { senders: 4, receivers: 6, pause: 50 })
  await pause(Number(values.seconds))
  console.log(`before the roll:  ${milliseconds(work.sendTimes.splice(0))}`)
  const failedBefore = work.failures.length
  for (const service of serviceNames) {
    const began = Date.now()
    for (const number of [1, 2]) {
      await stack.restart(service, number)
      await pause(1)
    }
    console.log(`${service.padEnd(18)}rolled in ${((Date.now() - began) / 1000).toFixed(1)} s`)
  }
  console.log(`during the roll:  ${milliseconds(work.sendTimes)}`)
  const problems = await work.finish()
  const failures = work.failures.slice(failedBefore)
  console.log(
    `${work.acknowledged.length} messages, ${failures.length} failed requests, ${problems.length} problems`,
  )
  for (const line of [...new Set(failures), ...problems]) console.log(`  ${line}`)
  isWell = failures.length === 0 && problems.length === 0
} finally {
  await stack.end()
}
process.exit(isWell ? 0 : 1)
