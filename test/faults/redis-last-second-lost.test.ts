import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type FaultStack, faultStack } from './fault-stack.ts'
import { Workload } from './workload.ts'

let stack: FaultStack

beforeAll(async () => {
  stack = await faultStack()
})

/** Redis' append-only file that is being written now. */
const appendOnlyFile = async (): Promise<string> => {
  for (const name of await readdir(stack.dataDir, { recursive: true })) {
    if (name.endsWith('.incr.aof')) return join(stack.dataDir, name)
  }
  throw new Error('Redis keeps no append-only file')
}

it('no queue misses, repeats or loses anything when Redis forgets its last second', async () => {
  const workload = await Workload.start(stack.address, { senders: 4, receivers: 6 })
  for (let round = 0; round < 3; round += 1) {
    await workload.progress(60)
    const file = await appendOnlyFile()
    const { size } = await stat(file)
    await workload.progress(40)
    await stack.stopEngine('redis', 'SIGKILL')
    // What a fail-over to a replica that lags, or a machine that dies between two fsyncs, leaves behind.
    await truncate(file, size)
    await stack.startEngine('redis')
  }
  await workload.progress(60)
  expect(await workload.finish(90)).toEqual([])
})

it('a client whose queue is gone with all of Redis is told so, and nothing is skipped silently', async () => {
  const workload = await Workload.start(stack.address, { senders: 2, receivers: 3 })
  await workload.progress(20)
  await stack.stopEngine('redis', 'SIGKILL')
  await truncate(await appendOnlyFile(), 0)
  await stack.startEngine('redis')
  await workload.progress(20)
  const problems = await workload.finish(15)
  // Either rebuilt completely from the log, or BAD_EVENT_QUEUE_ID: never a queue that goes on with a gap.
  for (const receiver of workload.receivers) {
    const lost = receiver.problems.some((problem) => problem.includes('was lost'))
    const complete = workload.acknowledged.every((id) => receiver.ids.includes(id))
    expect(lost || complete, problems.join('\n')).toBe(true)
  }
})
