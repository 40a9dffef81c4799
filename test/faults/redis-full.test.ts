import { World } from '@parley/testkit'
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
  const world = await World.create(stack.address)
  const password = 'a-password-that-is-long-enough'
  const { email } = await world.user({ password })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const logIn = () =>
    world.stranger().sendRaw('POST', '/json/login', `username=${email}&password=${password}`, form)
  const redis = new Redis(stack.addresses.REDIS_URL!)
  try {
    await redis.config('SET', 'maxmemory', '1mb')
    // A message is there when its sender is answered: what waits is its way to the queues.
    const accepted = workload.acknowledged.length
    await expect.poll(() => workload.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(accepted + 20)
    // There is no room for a session.
    const { status, text } = await logIn()
    expect({ status, text }).toMatchObject({
      status: 503,
      text: expect.stringContaining('"SERVER_NOT_READY"'),
    })
  } finally {
    await redis.config('SET', 'maxmemory', '0')
    redis.disconnect()
  }
  await workload.progress(40)
  expect((await logIn()).status).toBe(200)
  expect(await workload.finish(90)).toEqual([])
})
