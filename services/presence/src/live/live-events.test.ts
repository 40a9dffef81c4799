import { readClientEvent } from '@parley/bus/client-events'
import { typingStart } from '@parley/contracts/presence/events'
import { isVisible } from '@parley/db/snapshot'
import { describe, expect, it } from 'vitest'
import { liveEvents } from './live-events.ts'

const partitions = 4
const audience = { realm: 7, users: [1, 2, 5] }
const typing = { message_type: 'direct' as const, sender: { user_id: 1, email: 'a@example.org' } }

interface Sent {
  readonly partition: number
  readonly value: string
}

/** Kafka as far as these tests go: what was sent, and whether it is taken. */
const recorder = (taken: () => Promise<void>) => {
  const sent: Sent[] = []
  const publish = async (_topic: string, record: { partition: number; value: string | null }) => {
    sent.push({ partition: record.partition, value: record.value! })
    await taken()
    return { partition: record.partition, offset: 0 }
  }
  return { sent, live: liveEvents({ bus: { publish }, partitions, log: { warn: () => {} } }) }
}

describe('a live event', () => {
  it('goes to the shards of its readers, type and op first', () => {
    const { sent, live } = recorder(async () => {})
    live.emit(typingStart, audience, typing)
    expect(sent.map(({ partition }) => partition)).toEqual([1, 2])
    const [first] = sent.map(({ value }) => readClientEvent(value))
    expect(first!.envelope).toMatchObject({ source: 'presence', realm: 7, users: [1, 5] })
    expect(first!.event).toMatch(/^\{"type":"typing","op":"start",/)
  })

  it('is never taken for part of the state that a client registered with', () => {
    const { sent, live } = recorder(async () => {})
    live.emit(typingStart, audience, typing)
    const { xid } = readClientEvent(sent[0]!.value).envelope
    expect(isVisible(xid, { xmin: 1e15, xmax: 1e15, xip: [] })).toBe(false)
  })

  it('is lost in silence, and nothing piles up, while Kafka is away', async () => {
    let fail = (): void => {}
    const away = new Promise<void>((_, reject) => {
      fail = () => reject(new Error('kafka is away'))
    })
    const { sent, live } = recorder(() => away)
    for (let round = 0; round < 20_000; round += 1) live.emit(typingStart, audience, typing)
    expect(sent).toHaveLength(10_000)
    fail()
    await new Promise((resolve) => setImmediate(resolve))
    live.emit(typingStart, audience, typing)
    expect(sent).toHaveLength(10_002)
  })
})
