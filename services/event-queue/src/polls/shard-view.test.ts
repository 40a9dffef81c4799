import { expect, it } from 'vitest'
import type { PollBatches } from './poll-batches.ts'
import { ShardView } from './shard-view.ts'
import { storedText } from './stored-event.ts'
import { variantOf } from './variant.ts'

const view = (bytes: number): ShardView => new ShardView(0, bytes, undefined as unknown as PollBatches)
const stored = (n: number): string =>
  storedText({ type: 'test', source: 'channels', xid: n, at: n }, JSON.stringify({ type: 'test', n }))

it('keeps the forms of the events that were read last, and writes the others again', () => {
  const shard = view(2 ** 20)
  const reader = { userId: 1, queueId: 'q', variant: variantOf({ capabilities: {} } as never) }
  const first = shard.remember(0, stored(0))
  const text = first.write(reader)
  for (let n = 1; n <= 256; n += 1) shard.remember(n, stored(n))
  expect([first.isInUse, shard.event(1)!.isInUse]).toEqual([false, true])
  expect(first.write(reader)).toEqual(text)
  expect(shard.event(0)!.isInUse).toBe(true)
})

it('forgets the oldest events when they take more memory than they may, with all that is kept beside their texts', () => {
  const shard = view(10_000)
  for (let n = 0; n < 100; n += 1) shard.remember(n, stored(n))
  const left = Array.from({ length: 100 }, (_, n) => shard.event(n)).filter((event) => event !== undefined)
  expect(left.length).toBeGreaterThan(10)
  expect(left.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(10_000)
  expect(left.at(-1)).toBe(shard.event(99))
})

it('tells what was foretold from what continues the news, and from what begins anew', () => {
  const shard = view(10_000)
  const news = (from: number, to: number) => ({
    from,
    to,
    at: 0,
    groups: [],
    offsets: [],
    settled: [],
    texts: [],
  })
  const append = (from: number, to: number) => ({
    ...{ from, to, deliveries: [], opened: [], settled: [], sequences: {} },
    texts: [[to - 1, stored(to - 1)] as const],
  })
  expect(shard.foretell(append(0, 2))).toBe(false)
  expect(shard.take(news(0, 2))).toBe('after a gap')
  expect(shard.take(news(2, 4))).toBe('next')
  expect([shard.foretell(append(4, 6)), shard.foretell(append(6, 7))]).toEqual([true, true])
  expect(shard.event(6)).toBeDefined()
  // The news of the first were lost.
  expect([shard.take(news(6, 7)), shard.seenTo]).toEqual(['foretold', 7])
  // Redis lost something, or the log is another: whatever was known before does not count.
  expect([shard.take(news(3, 5)), shard.seenTo, shard.runFrom]).toEqual(['after a gap', 5, 3])
  expect([shard.foretell(append(7, 8)), shard.foretell(append(5, 8))]).toEqual([false, true])
  // Another owner was faster, and cut the log in other pieces.
  expect([shard.take(news(5, 9)), shard.seenTo]).toEqual(['after a gap', 9])
})
