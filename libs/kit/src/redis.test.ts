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

it('a connection that ends with half of its commands answered is away', async () => {
  const cut = new Redis(process.env.REDIS_URL!, {
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  })
  cut.on('error', () => {})
  const id = await cut.client('ID')
  cut.get(`${id}:nothing`).catch(() => {})
  const waiting = cut.blpop(`${id}:nobody-pushes`, 60).catch((error: unknown) => error)
  // The first is answered once the second blocks.
  await expect.poll(() => redis.client('LIST', 'ID', id)).toMatch(/\bflags=b\b/)
  await redis.client('KILL', 'ID', String(id))
  const error = await waiting
  expect(error).toMatchObject({ name: 'AbortError' })
  expect(isRedisAway(error)).toBe(true)
})

it('a transaction is refused for the reason of its commands', () => {
  const refused = (reason: string): Error =>
    Object.assign(new Error('EXECABORT Transaction discarded because of previous errors.'), {
      name: 'ReplyError',
      previousErrors: [Object.assign(new Error(reason), { name: 'ReplyError' })],
    })
  expect(isRedisAway(refused("OOM command not allowed when used memory > 'maxmemory'."))).toBe(true)
  expect(isRedisAway(refused("ERR wrong number of arguments for 'hset' command"))).toBe(false)
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
