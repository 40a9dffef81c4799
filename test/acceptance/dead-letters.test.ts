import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { openBus } from '@parley/bus'
import { readPartition } from '@parley/bus/read-partition'
import { type MessageFact, messagesTopic } from '@parley/contracts/channels/topics'
import { stackFromEnvironment, succeeded, World } from '@parley/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Receiver } from './receivers/receiver.ts'

const consumer = 'webhook-dispatcher.messages'
const brokers = process.env.KAFKA_BROKERS!.split(',')
const silent = { info: () => {}, warn: () => {}, error: () => {} }
let receiver: Receiver
beforeAll(async () => {
  receiver = await Receiver.start()
})
afterAll(() => receiver.stop())

/** A command as an operator types it. */
const manage = async (command: string) => {
  const { identityUrl, manageKey } = stackFromEnvironment()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['deploy/manage/main.ts', command, '--consumer', consumer],
    { env: { ...process.env, IDENTITY_URL: identityUrl, SIGNING_KEY: manageKey } },
  )
  return JSON.parse(stdout)
}
const replay = (): Promise<{ replayed: number }> => manage('replay-dead-letters')

it('a message that the webhook dispatcher had set aside calls its bot when it is replayed, once', async () => {
  const world = await World.create()
  const owner = await world.user()
  const bot = await succeeded(
    owner.post('/bots', {
      full_name: 'Late',
      short_name: 'late',
      bot_type: 3,
      payload_url: `${receiver.url}/late`,
    }),
  )
  const content = `for nobody ${randomUUID()}`
  await succeeded(owner.post('/users/me/subscriptions', { subscriptions: [{ name: 'hall' }] }))
  const message = { type: 'channel', to: 'hall', topic: 'late', content }
  const { id } = await succeeded(owner.post('/messages', message))

  const bus = await openBus({ brokers, service: 'webhook-dispatcher', log: silent })
  const admin = bus.kafka.admin()
  await admin.connect()
  try {
    const facts: MessageFact[] = []
    const ranges = await bus.ranges(messagesTopic.name)
    await Promise.all(
      ranges.map(({ partition, start, end }) => {
        const place = { topic: messagesTopic.name, partition, from: start, to: end }
        return readPartition(bus.kafka, admin, place, ({ value }) => {
          if (value?.includes(content)) facts.push(JSON.parse(value))
        })
      }),
    )
    const fact = facts.find(({ message }) => message.id === id)!
    const letter = {
      consumer,
      topic: messagesTopic.name,
      partition: 0,
      offset: 0,
      key: String(id),
      value: JSON.stringify({ ...fact, mentioned_user_ids: [bot.user_id] }),
      headers: {},
      reason: 'Error: a fault that has been mended',
      attempts: 5,
      at: new Date().toISOString(),
    }
    await bus.publish('dead-letters', { key: consumer, value: JSON.stringify(letter), partition: 0 })
  } finally {
    await admin.disconnect()
    await bus.close()
  }
  const { dead_letters: shown } = await manage('show-dead-letters')
  expect(shown).toContainEqual(
    expect.objectContaining({
      consumer,
      topic: messagesTopic.name,
      key: String(id),
      reason: expect.any(String),
    }),
  )
  // What people wrote is not shown to who looks after the machines.
  expect(JSON.stringify(shown)).not.toContain(content)
  expect((await replay()).replayed).toBeGreaterThanOrEqual(1)
  expect(JSON.parse((await receiver.call('/late')).body).data).toBe(content)
  expect(await replay()).toEqual({ replayed: 0, outdated: 0, cut: 0 })
  expect(await receiver.calls('/late')).toHaveLength(1)
})
