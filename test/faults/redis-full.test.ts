import { Redis } from 'ioredis'
import { beforeAll, expect, it } from 'vitest'
import { type FaultStack, faultStack } from './fault-stack.ts'
import { Workload } from './workload.ts'

let stack: FaultStack

beforeAll(async () => {
  stack = await faultStack()
})

it('events wait while Redis is full, and nobody is refused with more than a 503', async () => {
  const workload = await Workload.start(stack.address, { senders: 4, receivers: 6 })
  await workload.progress(40)
  const redis = new Redis(stack.addresses.REDIS_URL!)
  try {
    await redis.config('SET', 'maxmemory', '1mb')
    // A message is there when its sender is answered: what waits is its way to the queues.
    const accepted = workload.acknowledged.length
    await expect.poll(() => workload.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(accepted + 20)
  } finally {
    await redis.config('SET', 'maxmemory', '0')
    redis.disconnect()
  }
  await workload.progress(40)
  expect(await workload.finish(90)).toEqual([])
})
