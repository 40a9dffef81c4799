import { describe, expect, it } from 'vitest'
import { type Filled, factCache } from './fact-cache.ts'

const realm = 1
const account = 7

const answering = <V>() => {
  const waiting: ((filled: Filled<V>) => void)[] = []
  let asked = 0
  return {
    ask: () => {
      asked += 1
      return new Promise<Filled<V>>((resolve) => waiting.push(resolve))
    },
    answer: (value: V, version: number, subject: number | null = account) =>
      waiting.shift()!({ value, subject, version }),
    get asked() {
      return asked
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a cache that follows facts', () => {
  it('asks once for all who wait, and keeps the answer', async () => {
    const cache = factCache<string>({ max: 10, maxAge: () => 60_000 })
    const identity = answering<string>()
    const both = Promise.all([cache.fill('k', realm, identity.ask), cache.fill('k', realm, identity.ask)])
    identity.answer('v', 1)
    expect(await both).toEqual(['v', 'v'])
    expect(identity.asked).toBe(1)
    expect(cache.get('k')).toBe('v')
  })

  it('drops what a newer fact outdates, and keeps what is as new as the fact', async () => {
    const cache = factCache<string>({ max: 10, maxAge: () => 60_000 })
    await cache.fill('old', realm, async () => ({ value: 'old', subject: account, version: 1 }))
    await cache.fill('new', realm, async () => ({ value: 'new', subject: account, version: 2 }))
    await cache.fill('other', realm, async () => ({ value: 'other', subject: 8, version: 1 }))
    cache.outdate(realm, account, 2)
    expect(cache.get('old')).toBeUndefined()
    expect(cache.get('new')).toBe('new')
    expect(cache.get('other')).toBe('other')
  })

  it('does not keep, nor use, an answer that a fact overtook', async () => {
    const cache = factCache<string>({ max: 10, maxAge: () => 60_000 })
    const identity = answering<string>()
    const filled = cache.fill('k', realm, identity.ask)
    cache.outdate(realm, account, 2)
    identity.answer('active', 1)
    await settled()
    identity.answer('deactivated', 2)
    expect(await filled).toBe('deactivated')
    expect(cache.get('k')).toBe('deactivated')
  })

  it('forgets negative answers with any fact of their organization, also one on its way', async () => {
    const cache = factCache<string>({ max: 10, maxAge: () => 60_000 })
    const none = async () => ({ value: 'nobody', subject: null, version: 0 })
    await cache.fill('k', realm, none)
    await cache.fill('elsewhere', 2, none)
    expect(cache.get('k')).toBe('nobody')
    cache.outdate(realm, 99, 1)
    expect(cache.get('k')).toBeUndefined()
    expect(cache.get('elsewhere')).toBe('nobody')

    const identity = answering<string>()
    const filled = cache.fill('k', realm, identity.ask)
    cache.outdate(realm, account, 5)
    identity.answer('nobody', 0, null)
    await settled()
    identity.answer('somebody', 5)
    expect(await filled).toBe('somebody')
  })

  it('uses entries only as long as they may be used now', async () => {
    let maxAge = 60_000
    const cache = factCache<string>({ max: 10, maxAge: () => maxAge })
    await cache.fill('k', realm, async () => ({ value: 'v', subject: account, version: 1 }))
    expect(cache.get('k')).toBe('v')
    maxAge = 0
    expect(cache.get('k')).toBeUndefined()
  })

  it('keeps nothing of a question that failed', async () => {
    const cache = factCache<string>({ max: 10, maxAge: () => 60_000 })
    await expect(cache.fill('k', realm, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(cache.get('k')).toBeUndefined()
    expect(await cache.fill('k', realm, async () => ({ value: 'v', subject: account, version: 1 }))).toBe('v')
  })

  it('is not emptied of accounts by guesses', async () => {
    const cache = factCache<string>({ max: 2, maxAge: () => 60_000 })
    await cache.fill('k', realm, async () => ({ value: 'v', subject: account, version: 1 }))
    for (let guess = 0; guess < 50; guess += 1) {
      await cache.fill(`guess ${guess}`, realm, async () => ({ value: 'nobody', subject: null, version: 0 }))
    }
    expect(cache.get('k')).toBe('v')
  })
})
