import { expect, it } from 'vitest'
import { deliveryPace } from './delivery-pace.ts'

/** What is asked for between appends after a second of a message each `every` milliseconds to so many queues. */
const gatheringAfter = (every: number, queues: number): number => {
  let now = 0
  const pace = deliveryPace(() => now)
  for (; now < 1000; now += every) pace.count(queues)
  return pace.gathering
}

it('lets records gather only where many clients are told of many things', () => {
  expect(gatheringAfter(10, 2)).toBeLessThan(4)
  expect(gatheringAfter(1000, 50)).toBe(0)
  expect(gatheringAfter(50, 50)).toBeGreaterThan(5)
  expect(gatheringAfter(10, 200)).toBe(120)
  expect(gatheringAfter(10, 10_000)).toBe(120)
})

it('forgets a rush within a second', () => {
  let now = 0
  const pace = deliveryPace(() => now)
  pace.count(10_000)
  expect(pace.gathering).toBe(120)
  now += 1000
  expect(pace.gathering).toBe(0)
})
