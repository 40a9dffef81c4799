import { Redis } from 'ioredis'
import { afterAll, expect, it } from 'vitest'
import { isRedisAway } from './redis.ts'

const redis = new Redis(process.env.REDIS_URL!)
afterAll(() => redis.disconnect())

/** What the client makes of an answer, alone and from within a script that does not catch it. */
const errorsBy = (answer: string): Promise<unknown[]> => {
  const raise = `return redis.error_reply('${answer}')`
  const texts = [raise, `error({err = '${answer}'})`]
  return Promise.all(texts.map((text) => redis.eval(text, 0).catch((error: unknown) => error)))
}

it('a Redis that cannot serve now is away', async () => {
  for (const answer of [
    'OOM command not allowed when used memory > maxmemory.',
    'READONLY You cannot write against a read only replica.',
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
    'LOADING Redis is loading the dataset in memory',
    'NOREPLICAS Not enough good replicas to write.',
    'CLUSTERDOWN The cluster is down',
    'MASTERDOWN Link with MASTER is down',
  ]) {
    for (const error of await errorsBy(answer)) expect(isRedisAway(error), String(error)).toBe(true)
  }
  const unreachable = new Redis('redis://127.0.0.1:1', { lazyConnect: true, retryStrategy: null })
  unreachable.on('error', () => {})
  expect(isRedisAway(await unreachable.get('x').catch((error: unknown) => error))).toBe(true)
})

it('a command that is wrong is no such thing', async () => {
  for (const answer of [
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'ERR syntax error',
  ]) {
    for (const error of await errorsBy(answer)) {
      expect(error).toBeInstanceOf(Error)
      expect(isRedisAway(error), String(error)).toBe(false)
    }
  }
})
