import { EventReader, eventually, succeeded, World } from '@parley/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Receiver } from '../acceptance/receivers/receiver.ts'
import { type FaultStack, faultStack } from './fault-stack.ts'

let stack: FaultStack
let receiver: Receiver

beforeAll(async () => {
  receiver = await Receiver.start()
  stack = await faultStack()
})
afterAll(async () => {
  await receiver?.stop()
})

const [kills, messagesPerKill] = [4, 25]

it('every message calls its bot under one delivery ID and is answered once, although the dispatcher is killed again and again', async () => {
  const world = await World.create(stack.address)
  const owner = await world.user()
  const bot = await succeeded(
    owner.post('/bots', {
      full_name: 'Hook',
      short_name: 'hook',
      bot_type: 3,
      payload_url: `${receiver.url}/hook`,
    }),
  )
  // Long enough that every kill meets calls that are under way.
  await receiver.say({ body: '{"content":"answered"}', delay: 150 })
  const reader = await EventReader.register(owner, { event_types: ['message'], apply_markdown: false })
  const sent: number[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    for (let n = 0; n < messagesPerKill; n += 1) {
      const message = { type: 'direct', to: [bot.user_id], content: `message ${kill} ${n}` }
      sent.push((await succeeded(owner.post('/messages', message))).id)
    }
    const before = (await receiver.calls('/hook')).length
    await eventually(
      async () => expect((await receiver.calls('/hook')).length).toBeGreaterThan(before + 3),
      60,
    )
    await stack.kill('webhook-dispatcher', 'SIGKILL')
    await stack.restart('webhook-dispatcher')
  }

  await eventually(async () => {
    const { deliveries } = await succeeded(
      owner.get(`/bots/${bot.user_id}/webhook/deliveries`, { limit: 200 }),
    )
    const delivered = deliveries.filter(({ state }: { state: string }) => state === 'delivered')
    expect(delivered).toHaveLength(sent.length)
  }, 120)
  const idsByMessage = new Map<number, Set<string>>()
  for (const { headers, body } of await receiver.calls('/hook')) {
    const { id } = JSON.parse(body).message
    idsByMessage.set(id, (idsByMessage.get(id) ?? new Set()).add(headers['webhook-id']!))
  }
  expect([...idsByMessage.keys()].toSorted((a, b) => a - b)).toEqual(sent)
  expect([...idsByMessage.values()].filter((ids) => ids.size !== 1)).toEqual([])
  expect(new Set([...idsByMessage.values()].flatMap((ids) => [...ids])).size).toBe(sent.length)

  const answers = () => reader.received.filter(({ message }) => message?.sender_id === bot.user_id)
  await eventually(async () => {
    await reader.poll({ dont_block: true })
    expect(answers()).toHaveLength(sent.length)
  }, 60)
  const end = await succeeded(owner.post('/messages', { type: 'direct', to: [owner.id], content: 'end' }))
  await reader.until(({ message }) => message?.id === end.id)
  expect(answers()).toHaveLength(sent.length)
})
