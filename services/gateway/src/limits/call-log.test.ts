import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, it } from 'vitest'
import { localCallLog } from './local-call-log.ts'
import { redisCallLog } from './redis-call-log.ts'

const url = process.env.REDIS_URL
if (url === undefined) throw new Error('REDIS_URL is not set: run through npm test, or start a stack')
const redis = new Redis(url, { enableAutoPipelining: true })
afterAll(() => redis.disconnect())

/** Every log of calls keeps these promises. */
describe.each([
  ['in Redis', () => redisCallLog(redis)],
  ['in the process', () => localCallLog()],
])('calls counted %s', (_where, open) => {
  const log = open()
  const subject = () => randomUUID()
  const perMinute = [{ count: 3, seconds: 60 }]

  it('admits exactly the limit, and says how much is left', async () => {
    const who = subject()
    const verdicts = []
    for (let call = 0; call < 5; call += 1) verdicts.push(await log.take(who, perMinute))
    expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, true, true, false, false])
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0])
    expect(verdicts.map(({ limit }) => limit)).toEqual([3, 3, 3, 3, 3])
    expect(verdicts[0]!.wait).toBe(0)
    for (const { wait } of verdicts.slice(2)) {
      expect(wait).toBeGreaterThan(59_000)
      expect(wait).toBeLessThanOrEqual(60_000)
    }
    for (const { resetAt } of verdicts) expect(Math.abs(resetAt - Date.now() - 60_000)).toBeLessThan(5000)
  })

  it('keeps subjects apart', async () => {
    const who = subject()
    for (let call = 0; call < 3; call += 1) await log.take(who, perMinute)
    expect(await log.take(subject(), perMinute)).toMatchObject({ admitted: true, remaining: 2 })
  })

  it('holds every rule, and reports the one that is nearest to its limit', async () => {
    const who = subject()
    const rules = [
      { count: 100, seconds: 3600 },
      { count: 2, seconds: 60 },
    ]
    expect(await log.take(who, rules)).toMatchObject({ admitted: true, limit: 2, remaining: 1 })
    await log.take(who, rules)
    const refused = await log.take(who, rules)
    expect(refused).toMatchObject({ admitted: false, limit: 2 })
    expect(refused.wait).toBeLessThanOrEqual(60_000)
    const all = { count: 2, seconds: 3600 }
    expect((await log.take(who, [all])).wait).toBeGreaterThan(3_500_000)
  })

  it('admits again after exactly the time it names', async () => {
    const who = subject()
    const rules = [{ count: 1, seconds: 0.4 }]
    await log.take(who, rules)
    const { admitted, wait } = await log.take(who, rules)
    expect(admitted).toBe(false)
    const until = performance.now() + wait + 1
    await expect
      .poll(async () => performance.now() >= until && (await log.take(who, rules)).admitted, { interval: 5 })
      .toBe(true)
    expect(performance.now() - until).toBeLessThan(500)
  })

  it('takes calls back, and forgets', async () => {
    const who = subject()
    for (let call = 0; call < 3; call += 1) await log.take(who, perMinute)
    await log.giveBack(who)
    expect(await log.take(who, perMinute)).toMatchObject({ admitted: true, remaining: 0 })
    await log.clear(who)
    expect(await log.take(who, perMinute)).toMatchObject({ admitted: true, remaining: 2 })
  })
})

it('admits exactly the limit of many calls at once over several connections', async () => {
  const who = randomUUID()
  const rules = [{ count: 200, seconds: 60 }]
  const others = [redis, new Redis(url), new Redis(url)]
  const verdicts = await Promise.all(
    Array.from({ length: 1000 }, (_, call) => redisCallLog(others[call % 3]!).take(who, rules)),
  )
  expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(200)
  expect(await redis.pttl(`calls:${who}`)).toBeLessThanOrEqual(60_000)
  for (const other of others.slice(1)) other.disconnect()
})
