import { createConnection } from 'node:net'
import { type ISocketFactory, Kafka, logLevel, Partitioners } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kafkaClient } from './kafka-client.ts'
import { isTooLarge } from './kafka-errors.ts'
import { type OrderedProducer, type OutgoingRecord, orderedProducer } from './ordered-producer.ts'
import { partitionOfKey } from './partition-of-key.ts'
import { type KafkaRoom, openKafkaRoom } from './testing/kafka-room.ts'

let room: KafkaRoom
let producer: OrderedProducer
beforeAll(async () => {
  room = await openKafkaRoom()
  producer = orderedProducer(kafkaClient({ access: { brokers: room.brokers }, clientId: 'tëst' }))
})
afterAll(async () => {
  await producer.close()
  await room.close()
})

/** Texts of every width, and what stands at the edges of the lengths that are written with them. */
const records: OutgoingRecord[] = [
  { key: '', value: '' },
  { key: 'gone', value: null },
  { key: 'ключ 🔑', value: 'é漢🙂\0', headers: { имя: 'wäre', empty: '' } },
  ...[63, 64, 8191, 8192, 1_100_000].map((length) => ({ key: `of ${length}`, value: 'x'.repeat(length) })),
  ...Array.from({ length: 300 }, (_, n) => ({ key: `k${n}`, value: `v${n}`, headers: { seq: String(n) } })),
]

/** Long texts of one letter, briefly: a difference has to be readable. */
const brief = (text: string | null): string | null =>
  text === null ? null : text.replace(/x{9,}/, (run) => `${run.length} times x`)

const readBack = async (topic: string) =>
  (await room.read(topic))
    .map(({ partition, offset, key, value, headers }) => ({
      ...{ partition, offset, key, value: brief(value), headers },
    }))
    .sort((a, b) => a.partition - b.partition)

/** How records are read again that stand one after the other in a partition. */
const standing = (partition: number, offset: number, all: readonly OutgoingRecord[]) =>
  all.map(({ key, value, headers = {} }, place) => ({
    ...{ partition, offset: offset + place, key, value: brief(value), headers },
  }))

/** Connections of which the first that produces ends before the answer, once the topic has a record. */
const losingAnswers = (topic: string): ISocketFactory => {
  let isLost = false
  return ({ host, port, onConnect }) => {
    const socket = createConnection({ host, port }, onConnect)
    const write = socket.write.bind(socket)
    const lose = async (): Promise<void> => {
      isLost = true
      socket.pause()
      await expect.poll(async () => (await room.read(topic)).length).toBe(1)
      socket.destroy(new Error('the connection is lost'))
    }
    socket.write = (bytes: Buffer, ...rest: never[]) => {
      const isProduce = bytes.readInt16BE(4) === 0
      if (isProduce && !isLost) void lose()
      return write(bytes, ...rest)
    }
    return socket
  }
}

describe('a producer of records', () => {
  it('writes them as they are, several topics and partitions at once, and says where they stand', async () => {
    const [one, other] = [await room.topic(), await room.topic()]
    const here = records.map((record) => ({ ...record, partition: 1 }))
    const there = { key: 'alone', value: 'there', partition: 0 }
    const places = await producer.send([
      { topic: one.name, records: [there, ...here] },
      { topic: other.name, records: [there] },
    ])
    expect(places).toHaveLength(3)
    expect(places).toEqual(
      expect.arrayContaining([
        { topic: one.name, partition: 0, offset: 0 },
        { topic: one.name, partition: 1, offset: 0 },
        { topic: other.name, partition: 0, offset: 0 },
      ]),
    )
    const again = await producer.send([{ topic: one.name, records: here.slice(0, 2) }])
    expect(again).toEqual([{ topic: one.name, partition: 1, offset: records.length }])
    expect(await readBack(one.name)).toEqual([
      ...standing(0, 0, [there]),
      ...standing(1, 0, [...records, ...records.slice(0, 2)]),
    ])
    expect(await readBack(other.name)).toEqual(standing(0, 0, [there]))
  })

  it('writes once what it repeats because the answer was lost', async () => {
    const { name } = await room.topic()
    const losing = orderedProducer(
      new Kafka({
        clientId: 'losing',
        brokers: room.brokers,
        socketFactory: losingAnswers(name),
        logLevel: logLevel.NOTHING,
      }),
    )
    const first = { key: 'first', value: 'x', partition: 0 }
    const second = { key: 'second', value: 'x', partition: 0 }
    try {
      expect(await losing.send([{ topic: name, records: [first] }])).toEqual([
        { topic: name, partition: 0, offset: 0 },
      ])
      await losing.send([{ topic: name, records: [second] }])
    } finally {
      await losing.close()
    }
    expect(await readBack(name)).toEqual(standing(0, 0, [first, second]))
  })

  it('says what is too large, and goes on', async () => {
    const { name } = await room.topic()
    const huge = { key: 'huge', value: 'x'.repeat(9 * 1024 * 1024), partition: 0 }
    const refused = await producer.send([{ topic: name, records: [huge] }]).catch((error: unknown) => error)
    expect(isTooLarge(refused)).toBe(true)
    const fits = { key: 'fits', value: 'x', partition: 0 }
    expect(await producer.send([{ topic: name, records: [fits] }])).toEqual([
      { topic: name, partition: 0, offset: 0 },
    ])
  })

  it('puts a key where every other client looks for it', () => {
    const theirs = Partitioners.DefaultPartitioner()
    const keys = Array.from({ length: 500 }, (_, n) => `${'aé🙂'.repeat(n % 5)}${n * 7919}`)
    for (const partitions of [1, 4, 7, 64]) {
      const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
        ...{ partitionErrorCode: 0, partitionId, leader: 1, replicas: [1], isr: [1] },
      }))
      for (const key of keys) {
        const place = theirs({ topic: 't', partitionMetadata, message: { key, value: '' } })
        expect(partitionOfKey(key, partitions)).toBe(place)
      }
    }
  })
})
