import { beforeAll, describe, expect, it } from 'vitest'
import { type FaultStack, faultStack } from './fault-stack.ts'
import { Workload } from './workload.ts'

let stack: FaultStack

beforeAll(async () => {
  stack = await faultStack()
})

/** Times between kills are spread over the few milliseconds that lie between a commit and its publication. */
const randomMoment = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 40))

describe('an acknowledged message reaches every entitled live queue exactly once, in order', () => {
  // Identity, the gateway, Postgres and all others, at random: npm run test:faults, of which every CI run has two minutes.
  it.each([
    ['channels', 6],
    ['event-queue', 4],
  ] as const)('when %s is killed again and again', async (service, kills) => {
    const workload = await Workload.start(stack.address, { senders: 4, receivers: 6 })
    for (let n = 0; n < kills; n += 1) {
      await workload.progress(30)
      await randomMoment()
      await stack.kill(service, 'SIGKILL')
      await stack.restart(service)
    }
    await workload.progress(30)
    expect(await workload.finish()).toEqual([])
  })

  it('when Kafka is away for a while', async () => {
    const workload = await Workload.start(stack.address, { senders: 4, receivers: 6 })
    await workload.progress(30)
    await stack.stopEngine('kafka', 'SIGKILL')
    // Sends go on: they need Postgres only.
    await workload.progress(100)
    await stack.startEngine('kafka')
    await workload.progress(30)
    expect(await workload.finish(90)).toEqual([])
  })
})
