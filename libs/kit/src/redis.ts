import { noticeChannel, type Tell } from '@parley/bus'
import { EngineUnavailableError } from '@parley/contracts'
import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { engineWatch } from './engine-watch.ts'

export interface RedisWish {
  readonly purpose?: 'commands' | 'subscriber' | 'publisher'
  readonly needed?: boolean
}

/** Milliseconds after which a command to a silent Redis fails. */
const commandTimeout = 5000

/**
 * A connection that fails quickly while Redis is away and comes back by itself. `commands` pipelines what one
 * turn of the event loop sends; `subscriber` is for SUBSCRIBE, which takes a connection of its own; `publisher` sends at
 * once what {@link teller} tells.
 *
 * @throws EngineUnavailableError when Redis does not answer at the start and is `needed`.
 */
export const openRedis = async (
  url: string,
  log: Logger,
  { purpose = 'commands', needed = true }: RedisWish = {},
): Promise<Redis> => {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableAutoPipelining: purpose === 'commands',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    ...(purpose === 'commands' ? { commandTimeout } : {}),
    connectTimeout: 3000,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1000),
  })
  if (purpose === 'commands') watchCommands(redis)
  redis.on('error', (error) => log.warn({ err: error }, 'redis connection'))
  try {
    await redis.connect()
  } catch (error) {
    if (!needed) return redis
    redis.disconnect()
    throw new EngineUnavailableError('redis', { cause: error })
  }
  return redis
}

/** Things told that Redis has not taken yet, above which nothing is told: it is silent, or slow. */
const mostUntaken = 64

/** Tells notices, which may be lost: nobody waits for them, and a Redis that is away is told nothing. */
export const teller = (redis: Redis): Tell => {
  let untaken = 0
  return (text) => {
    if (redis.status !== 'ready' || untaken >= mostUntaken) return
    untaken += 1
    redis
      .publish(noticeChannel, text)
      .catch(() => {})
      .finally(() => {
        untaken -= 1
      })
  }
}

type Command = (...args: unknown[]) => unknown

/** Each command at the place of its call: what is pipelined later would belong to whoever began the pipeline. */
const watchCommands = (redis: Redis): void => {
  const watch = engineWatch('redis')
  const commands = redis as unknown as Record<string, Command>
  const watched = (answer: unknown, name: () => string): unknown => {
    if (!(answer instanceof Promise)) return answer
    const end = watch(name)
    answer.then(() => end(), end)
    return answer
  }
  const multi = redis.multi.bind(redis) as Command
  commands.multi = (...args) => {
    const chain = multi(...args) as { exec: Command }
    const exec = chain.exec.bind(chain)
    chain.exec = (...more) => watched(exec(...more), () => 'MULTI')
    return chain
  }
  for (const builtIn of redis.getBuiltinCommands()) {
    if (builtIn === 'multi') continue
    const spanName = () => builtIn.toUpperCase()
    for (const name of [builtIn, `${builtIn}Buffer`]) {
      const command = commands[name]
      if (command === undefined) continue
      commands[name] = (...args) => watched(command.apply(redis, args), spanName)
    }
  }
}

/** What the client says of a connection that ended, also with half of a pipeline answered, or that stays silent. */
const awayMessages =
  /Connection is closed|connection close|ECONNREFUSED|ECONNRESET|EPIPE|Stream isn't writeable|Command timed out|max retries|ETIMEDOUT/
/**
 * What a Redis answers that is there and takes no commands, or no writes: it is still reading its data, full, cannot write
 * to its disk, has become a replica, has lost its master or its replicas, or is busy. A script passes it on in its own error.
 */
const refusals = /\b(?:LOADING|OOM|MISCONF|READONLY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|BUSY)\b/

/** Whether an error says that Redis could not be reached or cannot serve now, rather than that a command was wrong. */
export const isRedisAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (awayMessages.test(`${error.name} ${error.message}`)) return true
  if (error.name !== 'ReplyError') return false
  // A transaction (EXECABORT) only says that its commands were refused; why is in their own errors.
  const { previousErrors = [] } = error as { previousErrors?: readonly unknown[] }
  return refusals.test(error.message) || previousErrors.some(isRedisAway)
}
