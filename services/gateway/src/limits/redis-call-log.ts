import { readFileSync } from 'node:fs'
import { redisScript } from '@parley/kit/redis-script'
import type { Redis } from 'ioredis'
import type { CallLog } from './call-log.ts'

const take = redisScript(readFileSync(new URL('./call-log.lua', import.meta.url), 'utf8'))

const keyOf = (subject: string): string => `calls:${subject}`

/** Counts over all gateways, by Redis' own clock. Fails as the connection does. */
export const redisCallLog = (redis: Redis): CallLog => ({
  async take(subject, rules) {
    const args = rules.flatMap(({ count, seconds }) => [count, seconds * 1000])
    const answer = (await take(redis, [keyOf(subject)], args)) as [number, number, number, number, number]
    const [admitted, limit, remaining, wait, resetAt] = answer
    return { admitted: admitted === 1, limit, remaining, wait, resetAt }
  },
  async giveBack(subject) {
    await redis.lpop(keyOf(subject))
  },
  async clear(subject) {
    await redis.del(keyOf(subject))
  },
})
