import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { limits } from '@parley/contracts'
import { isActive } from '@parley/contracts/objects/presence'
import { Redis } from 'ioredis'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type Pinged, type PresenceStore, presenceStore } from './presence-store.ts'

const redis = new Redis(process.env.REDIS_URL!, { enableAutoPipelining: true })
const store: PresenceStore = presenceStore(redis, { retentionDays: 30 })
let realm: number
const key = (name: string): string => `presence:{${realm}}:${name}`

beforeEach(() => {
  // Far from those of the services that may use the same Redis.
  realm = randomInt(1_000_000_000, 2_000_000_000)
})
afterAll(() => redis.disconnect())

const shown = async () => false
const ping = async (user: number, active = true): Promise<Pinged> => {
  const pinged = await store.ping(realm, user, active, shown)
  if (!('seen' in pinged)) throw new Error(`${user} is not seen`)
  return pinged
}
/** Makes it so long ago that somebody was last seen and told of. */
const age = async (user: number, seconds: number): Promise<void> => {
  const [active, connected, announced, hidden] = (await redis.hget(key('state'), String(user)))!.split(' ')
  const earlier = [active, connected, announced].map((time) => Math.max(0, Number(time) - seconds))
  await redis.hset(key('state'), String(user), [...earlier, hidden].join(' '))
  await redis.zadd(key('connected'), earlier[1]!, String(user))
}
const everything = async () => (await store.changes(realm, -1, 1000)).changes

describe('a ping', () => {
  it('brings somebody back once', async () => {
    expect(await ping(1)).toMatchObject({ cameBack: true, online: 1 })
    expect(await ping(2)).toMatchObject({ cameBack: true, online: 2 })
    expect((await ping(1)).cameBack).toBe(false)
    await age(1, 190)
    expect((await ping(1)).cameBack).toBe(false)
    await age(1, 210)
    expect(await ping(1)).toMatchObject({ cameBack: true, online: 2 })
  })

  it('asks as much of Redis with 100, 1,000 and 10,000 users online', async () => {
    const text = (name: string) => readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8')
    /** The script itself, with its commands counted. */
    const counting = `local real, calls = redis, 0
      local redis = { call = function(...) calls = calls + 1 return real.call(...) end }
      local function work()
      ${text('realm')}
      ${text('ping')}
      end
      work()
      return calls`
    const { presenceOfflineSeconds, presenceActiveSeconds } = limits
    const bounds = [presenceOfflineSeconds, presenceActiveSeconds, 30 * 86_400]
    const commands = (user: number) =>
      redis.eval(counting, 1, key('state'), `presence:{${realm}}:`, ...bounds, user, 1, '0')
    const work: unknown[] = []
    let online = 0
    for (const size of [100, 1000, 10_000]) {
      await Promise.all(Array.from({ length: size - online }, (_, n) => ping(online + n)))
      online = size
      const stays = await commands(1)
      await age(2, 90)
      const isTold = await commands(2)
      await age(3, 300)
      const comesBack = await commands(3)
      work.push({ stays, isTold, comesBack })
    }
    expect(work[1]).toEqual(work[0])
    expect(work[2]).toEqual(work[0])
    expect(work[0]).toEqual({ stays: 6, isTold: 14, comesBack: 15 })
  })

  it('of somebody idle brings nobody back', async () => {
    const pinged = await ping(1, false)
    expect(pinged).toMatchObject({ cameBack: false, seen: { active: null } })
    expect((await ping(1)).cameBack).toBe(true)
  })

  it('is a change for the others when they would see something else, or would soon think the user gone', async () => {
    const first = (await ping(1)).lastUpdateId
    expect((await ping(1)).lastUpdateId).toBe(first)
    await age(1, 60)
    expect((await ping(1)).lastUpdateId).toBe(first)
    await age(1, 71)
    const second = (await ping(1)).lastUpdateId
    expect(second).toBeGreaterThan(first)
    await age(1, 60)
    expect((await ping(1, false)).lastUpdateId).toBe(second)
    await age(1, 20)
    const idle = await ping(1, false)
    expect(isActive(idle.seen)).toBe(false)
    expect(idle.lastUpdateId).toBeGreaterThan(second)
  })

  it('leaves one change of each user, the newest', async () => {
    for (const user of [1, 2, 3]) await ping(user)
    await age(1, 300)
    await ping(1)
    expect((await everything()).map((change) => change.userId)).toEqual([2, 3, 1])
    const { changes } = await store.changes(realm, (await everything())[1]!.id, 1000)
    expect(changes.map((change) => change.userId)).toEqual([1])
  })

  it('never repeats an ID, however many come at once', async () => {
    const users = Array.from({ length: 300 }, (_, user) => user + 1)
    await Promise.all(users.map((user) => ping(user)))
    const ids = (await everything()).map((change) => change.id)
    expect(new Set(ids).size).toBe(300)
    expect(ids.every((id, at) => at === 0 || id > ids[at - 1]!)).toBe(true)
    expect(ids.every(Number.isSafeInteger)).toBe(true)
  })

  it('gets a higher ID than any before, though Redis forgot everything', async () => {
    const before = (await ping(1)).lastUpdateId
    await redis.del(key('state'), key('connected'), key('updates'), key('last'))
    expect((await ping(2)).lastUpdateId).toBeGreaterThan(before)
  })

  it('is forgotten after its time, and the organization too', async () => {
    await ping(1)
    await age(1, 31 * 86_400)
    await ping(2)
    expect(await store.one(realm, 1)).toBeUndefined()
    expect((await everything()).map((change) => change.userId)).toEqual([2])
    for (const name of ['state', 'connected', 'updates', 'last']) {
      expect(await redis.ttl(key(name))).toBeGreaterThan(29 * 86_400)
    }
  })
})

describe('hiding', () => {
  it('makes somebody look gone, and stops pings from telling otherwise', async () => {
    await ping(1)
    const seen = await store.hide(realm, 1, true)
    expect(Date.now() / 1000 - seen.connected).toBeGreaterThan(200)
    expect(isActive(seen)).toBe(false)
    expect(await store.ping(realm, 1, true, shown)).not.toHaveProperty('seen')
    expect(await store.one(realm, 1)).toEqual(seen)
    const again = await store.hide(realm, 1, false)
    expect(isActive(again)).toBe(true)
    expect((await ping(1)).cameBack).toBe(false)
  })

  it('holds although Redis forgot it: who keeps it is asked once', async () => {
    let asked = 0
    const hidden = async () => {
      asked += 1
      return true
    }
    expect(await store.ping(realm, 1, true, hidden)).toEqual({ lastUpdateId: -1 })
    expect(await store.ping(realm, 1, true, hidden)).toEqual({ lastUpdateId: -1 })
    expect(asked).toBe(1)
    expect(await everything()).toEqual([])
  })
})

describe('an account that ended', () => {
  it('is forgotten, with the ping that was under way', async () => {
    await ping(1)
    await ping(2)
    await store.remove(realm, 1)
    expect(await store.ping(realm, 1, true, shown)).not.toHaveProperty('seen')
    expect((await everything()).map((change) => change.userId)).toEqual([2])
    await store.restore(realm, 1)
    expect((await ping(1)).cameBack).toBe(true)
  })
})
