import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { capacity } from './capacity.ts'

const atOnce = 64

/** Registrations of this many clients; which of them have their turn, in the order in which they got it. */
const crowd = (count: number, requestsPerService = 1000) => {
  const { register } = capacity({ requestsPerService, polls: 1 })
  const served: number[] = []
  const refused: number[] = []
  const ends = new Map<number, () => void>()
  const clients = Array.from({ length: count }, (_, place) => {
    const client = new EventEmitter()
    register('event-queue', client).then(
      (end) => {
        served.push(place)
        ends.set(place, end)
      },
      () => void refused.push(place),
    )
    return client
  })
  return { clients, served, refused, ends }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

describe('registrations', () => {
  it('are made a few at a time, all of them, in their order', async () => {
    const { served, refused, ends, clients } = crowd(1000)
    await settled()
    expect(served).toEqual(numbers(0, atOnce))
    for (let place = 0; place < 1000; place += 1) {
      ends.get(place)!()
      await settled()
    }
    expect([served, refused]).toEqual([numbers(0, 1000), []])
    expect(clients.reduce((sum, client) => sum + client.listenerCount('close'), 0)).toBe(0)
  })

  it('of whoever leaves the line are not made, and hold nobody up', async () => {
    const { clients, served, refused, ends } = crowd(atOnce + 3)
    await settled()
    clients[atOnce]!.emit('close')
    for (const place of [0, 1]) ends.get(place)!()
    await settled()
    expect([served.slice(atOnce), refused]).toEqual([[atOnce + 1, atOnce + 2], [atOnce]])
  })

  it('give their turn back when the service is full', async () => {
    const { served, refused } = crowd(atOnce * 2, 2)
    await settled()
    // Also of those in line: each is told so when its turn comes, and the next one is asked.
    expect([served, refused]).toEqual([[0, 1], numbers(2, atOnce * 2)])
  })
})
