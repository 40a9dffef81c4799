import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LiveEvents } from '../live/live-events.ts'
import { PresenceNews } from './presence-news.ts'

const realm = 7
const seen = { active: 1000, connected: 1000 }
const gone = 13

/** Whom each record told of. */
let told: number[][]
let news: PresenceNews

beforeEach(() => {
  vi.useFakeTimers()
  told = []
  const live = {
    emit: (_event: unknown, _to: unknown, { seen }: { seen: { user_id: number }[] }) =>
      told.push(seen.map((one) => one.user_id)),
  } as unknown as LiveEvents
  const byIds = async (_realm: number, ids: Iterable<number>) =>
    new Map(
      [...ids].map((id) => [
        id,
        {
          id,
          realm_id: realm,
          email: `${id}@example.org`,
          is_active: id !== gone,
          bot_type: null,
          version: 1,
        },
      ]),
    )
  const users = { byIds, byEmail: async () => undefined, learn: () => {} }
  news = new PresenceNews({
    users,
    live,
    log: { warn: () => {} },
    mostOnline: 100,
    mayTell: (realmId) => realmId === realm,
  })
})
afterEach(() => vi.useRealTimers())

describe('news of presence', () => {
  it('tell of the first at once, and of those who follow within a second together', async () => {
    news.cameBack(realm, 1, seen, 1)
    await vi.advanceTimersByTimeAsync(0)
    expect(told).toEqual([[1]])
    for (const user of [2, 3, 2]) news.cameBack(realm, user, seen, 3)
    await vi.advanceTimersByTimeAsync(999)
    expect(told).toEqual([[1]])
    await vi.advanceTimersByTimeAsync(1)
    expect(told).toEqual([[1], [2, 3]])
    await vi.advanceTimersByTimeAsync(2000)
    news.cameBack(realm, 4, seen, 4)
    await vi.advanceTimersByTimeAsync(0)
    expect(told).toEqual([[1], [2, 3], [4]])
  })

  it('are not told in organizations that want none', async () => {
    news.tell(realm + 1, 1, seen)
    await vi.advanceTimersByTimeAsync(5000)
    expect(told).toEqual([])
  })

  it('are not told in large organizations, unless somebody did something', async () => {
    news.cameBack(realm, 1, seen, 101)
    await vi.advanceTimersByTimeAsync(5000)
    expect(told).toEqual([])
    news.tell(realm, 2, seen)
    await vi.advanceTimersByTimeAsync(0)
    expect(told).toEqual([[2]])
  })

  it('stay within what one record can hold, and leave out ended accounts', async () => {
    news.cameBack(realm, 1, seen, 1)
    for (let user = 2; user <= 602; user += 1) news.cameBack(realm, user, seen, 1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(told.map((record) => record.length)).toEqual([1, 500, 100])
    expect(told.flat()).not.toContain(gone)
  })

  it('are told before the process leaves', async () => {
    news.cameBack(realm, 1, seen, 1)
    news.cameBack(realm, 2, seen, 2)
    await news.stop()
    expect(told).toEqual([[1], [2]])
  })
})
