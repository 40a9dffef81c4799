import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'

export type ScriptArgument = string | number | Buffer

const read = (name: string): string => readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8')

/** One of the shard's scripts; called by its hash, and sent whole to a Redis that does not know it. */
export const shardScript = (name: string) => {
  const text = `${read('shard')}\n${read(name)}`
  const hash = createHash('sha1').update(text).digest('hex')
  return async (redis: Redis, prefix: string, args: readonly ScriptArgument[]): Promise<unknown> => {
    // The key only tells a Redis Cluster where the shard lives; the scripts name the keys by its prefix.
    const key = `${prefix}state`
    try {
      return await redis.evalsha(hash, 1, key, prefix, ...args)
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return redis.eval(text, 1, key, prefix, ...args)
    }
  }
}
