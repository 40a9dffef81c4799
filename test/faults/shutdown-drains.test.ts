import { EventReader, succeeded, World } from '@parley/testkit'
import { beforeAll, expect, it } from 'vitest'
import { type FaultStack, faultStack } from './fault-stack.ts'

let stack: FaultStack

beforeAll(async () => {
  stack = await faultStack()
})

it('answers a waiting poll before the process leaves, and the queue lives on', async () => {
  const world = await World.create(stack.address)
  const user = await world.user()
  const reader = await EventReader.register(user, { event_types: ['message'] })
  const waiting = succeeded(user.get('/events', { queue_id: reader.queueId, last_event_id: -1 }))
  await succeeded(user.get('/users/me'))
  const began = Date.now()
  await stack.restart('event-queue')
  const { events } = await waiting
  expect(events.length).toBeGreaterThan(0)
  expect(events.every((event: { type: string }) => event.type === 'heartbeat')).toBe(true)
  expect(Date.now() - began).toBeLessThan(30_000)
  await succeeded(user.post('/messages', { type: 'direct', to: [user.id], content: 'after' }))
  await reader.waitFor((event) => event.type === 'message')
})
