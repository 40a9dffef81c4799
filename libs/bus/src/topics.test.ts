import { setTimeout as pause } from 'node:timers/promises'
import { allTopics, topic } from '@parley/contracts'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type KafkaRoom, openKafkaRoom, clientEventsPartitions as partitions } from './testing/kafka-room.ts'
import { createTopics } from './topics.ts'

let room: KafkaRoom
beforeAll(async () => {
  room = await openKafkaRoom()
})
afterAll(() => room.close())

it('creates the topics that are missing, as declared, and leaves the others alone', async () => {
  const { brokers } = room
  const kept = await room.topic({ compacted: true, partitions: 3 })
  await room.bus.publish(kept.name, { key: 'a', value: '{"n":1}', partition: 0 })
  await createTopics({ brokers, partitions, replication: 1, declared: [...allTopics, kept] })
  await createTopics({ brokers, partitions, replication: 1, declared: [...allTopics, kept] })
  expect(await room.read(kept.name)).toHaveLength(1)

  const admin = room.bus.kafka.admin()
  await admin.connect()
  try {
    const wanted = [...allTopics, kept]
    const { topics } = await admin.fetchTopicMetadata({ topics: wanted.map(({ name }) => name) })
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: wanted.map(({ name }) => ({ type: 2, name, configNames: ['cleanup.policy'] })),
    })
    for (const { name, partitions: count, compacted } of wanted) {
      expect(topics.find((made) => made.name === name)!.partitions).toHaveLength(count)
      const { configEntries } = resources.find(({ resourceName }) => resourceName === name)!
      expect(configEntries[0]!.configValue).toBe(compacted ? 'compact' : 'delete')
    }
  } finally {
    await admin.disconnect()
  }
})

it('leaves an idle connection alone: no timer runs for it', async () => {
  await room.bus.ready()
  const timers = vi.spyOn(globalThis, 'setTimeout')
  await pause(300)
  // The client's own would be one per millisecond and connection.
  expect(timers.mock.calls.length).toBeLessThan(20)
  timers.mockRestore()
})

it('refuses another partition count, which would move keys', async () => {
  const { name } = await room.topic({ partitions: 2 })
  const declared = [topic(name, { value: z.unknown(), compacted: false, partitions: 3 })]
  const refused = createTopics({ brokers: room.brokers, partitions, replication: 1, declared })
  await expect(refused).rejects.toThrow(`topic ${name} has 2 partitions, declared are 3`)
})
