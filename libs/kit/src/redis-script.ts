import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'

export type RedisScript = (
  redis: Redis,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
) => Promise<unknown>

/** A Lua script: called by its hash, and sent whole to a Redis that does not know it yet. */
export const redisScript = (text: string): RedisScript => {
  const hash = createHash('sha1').update(text).digest('hex')
  return async (redis, keys, args) => {
    try {
      return await redis.evalsha(hash, keys.length, ...keys, ...args)
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return redis.eval(text, keys.length, ...keys, ...args)
    }
  }
}
