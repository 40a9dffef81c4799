import { succeeded, World } from '@parley/testkit'
import { expect, it } from 'vitest'

/** Seconds after which a poll is answered at the latest; its client waits for 90. */
const longest = 60

it('a poll that nothing else answers gets a sign of life in time, with an ID to acknowledge', async () => {
  const world = await World.create()
  const user = await world.user()
  const wish = { event_types: ['alert_words'] }
  const { queue_id, last_event_id } = await succeeded(user.post('/register', wish))
  const waiting = async (query: Record<string, unknown>) => {
    const began = Date.now()
    const { events, ...rest } = await succeeded(user.get('/events', query))
    return { events, queue: rest.queue_id as string, seconds: (Date.now() - began) / 1000 }
  }
  const answers = await Promise.all([
    waiting({ queue_id, last_event_id }),
    // Without an ID, one is opened.
    waiting(wish),
    waiting({ ...wish, last_event_id }),
  ])
  for (const { events, queue, seconds } of answers) {
    expect(events).toEqual([{ type: 'heartbeat', id: expect.any(Number) }])
    expect(events[0].id).toBeGreaterThan(last_event_id)
    expect(seconds).toBeGreaterThan(44)
    expect(seconds).toBeLessThan(longest)
    const next = { queue_id: queue, last_event_id: events[0].id, dont_block: true }
    expect((await succeeded(user.get('/events', next))).events).toEqual([])
  }
}, 90_000)
