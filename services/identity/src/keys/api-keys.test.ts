import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { apiKeys } from './api-keys.ts'

const secret = randomBytes(32)

describe('API keys', () => {
  it('are 32 URL-safe characters, never the same twice', () => {
    const keys = apiKeys(secret)
    const made = Array.from({ length: 1000 }, () => keys.generate())
    for (const key of made) expect(key).toMatch(/^[A-Za-z0-9_-]{32}$/)
    expect(new Set(made).size).toBe(made.length)
  })

  it('come back from their kept form, in every process that has the secret', () => {
    const key = apiKeys(secret).generate()
    const stored = apiKeys(secret).encrypt(key)
    expect(stored.includes(key)).toBe(false)
    expect(apiKeys(secret).decrypt(stored, apiKeys(secret).hash(key))).toBe(key)
  })

  it('are kept differently each time, and found by the same hash', () => {
    const keys = apiKeys(secret)
    const key = keys.generate()
    expect(keys.encrypt(key)).not.toEqual(keys.encrypt(key))
    expect(keys.hash(key)).toEqual(keys.hash(key))
    expect(keys.hash(key)).toHaveLength(32)
  })

  it('are neither found nor read with another secret', () => {
    const [ours, theirs] = [apiKeys(secret), apiKeys(randomBytes(32))]
    const key = ours.generate()
    expect(theirs.hash(key)).not.toEqual(ours.hash(key))
    expect(() => theirs.decrypt(ours.encrypt(key), ours.hash(key))).toThrow()
  })

  it('are refused when the kept form was altered or belongs to another row', () => {
    const keys = apiKeys(secret)
    const key = keys.generate()
    const hash = keys.hash(key)
    for (let place = 0; place < keys.encrypt(key).length; place += 1) {
      const altered = keys.encrypt(key)
      altered[place]! ^= 1
      expect(() => keys.decrypt(altered, hash)).toThrow()
    }
    expect(() => keys.decrypt(keys.encrypt(key), keys.hash(keys.generate()))).toThrow()
  })
})
