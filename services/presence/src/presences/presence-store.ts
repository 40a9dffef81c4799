import { readFileSync } from 'node:fs'
import { EngineUnavailableError, limits } from '@parley/contracts'
import type { LastSeen } from '@parley/contracts/objects/presence'
import { isRedisAway } from '@parley/kit/redis'
import { redisScript } from '@parley/kit/redis-script'
import type { Redis } from 'ioredis'

const read = (name: string): string => readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8')
const script = (name: string) => redisScript(`${read('realm')}\n${read(name)}`)

const ping = script('ping')
const hide = script('hide')
const changes = script('changes')
const remove = script('remove')

/** Seconds for which an account that ended takes no more pings; what was under way then has arrived long before. */
const goneSeconds = 3600

/** What a ping did. */
export interface Pinged {
  /** What this user's presence is now. */
  readonly seen: LastSeen
  /** The organization's newest change. */
  readonly lastUpdateId: number
  readonly cameBack: boolean
  /** Users online; counted only when this one came back. */
  readonly online: number
}

/** One user's presence changed; IDs grow in each organization, and only the newest of each user is kept. */
export interface PresenceChange {
  readonly id: number
  readonly userId: number
  readonly seen: LastSeen
}

/**
 * Who is there, in Redis: one record per user and organization. Everything expires by itself.
 * Fails with EngineUnavailableError while Redis is away.
 */
export interface PresenceStore {
  /**
   * Somebody is there. Costs the same however many others are.
   *
   * @param isHidden asked only when Redis does not know whether the user hides.
   * @returns the organization's newest change only, when the user is hidden or the account has ended.
   */
  ping(
    realmId: number,
    userId: number,
    isActive: boolean,
    isHidden: () => Promise<boolean>,
  ): Promise<Pinged | { lastUpdateId: number }>
  /** Hides a user's presence (others see somebody who has just gone), or shows it (somebody who has just come). */
  hide(realmId: number, userId: number, isHidden: boolean): Promise<LastSeen>
  one(realmId: number, userId: number): Promise<LastSeen | undefined>
  /** Up to `most` changes after one, by ID; and the newest that there is. */
  changes(
    realmId: number,
    after: number,
    most: number,
  ): Promise<{ lastUpdateId: number; changes: PresenceChange[] }>
  /** Forgets an account that has ended. */
  remove(realmId: number, userId: number): Promise<void>
  /** Takes pings of an account again. */
  restore(realmId: number, userId: number): Promise<void>
  /** Forgets an organization. */
  forgetRealm(realmId: number): Promise<void>
  /** How many keys there are of an organization. */
  keysOf(realmId: number): Promise<number>
}

const prefixOf = (realmId: number): string => `presence:{${realmId}}:`

/** Reads a record: seconds active (0: never), connected, announced, and whether it is hidden. */
const lastSeen = (record: string): LastSeen => {
  const [active, connected] = record.split(' ').map(Number)
  return { active: active === 0 ? null : active!, connected: connected! }
}

export const presenceStore = (redis: Redis, settings: { retentionDays: number }): PresenceStore => {
  const bounds = [
    limits.presenceOfflineSeconds,
    limits.presenceActiveSeconds,
    settings.retentionDays * 86_400,
  ] as const

  const guard = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw isRedisAway(error) ? new EngineUnavailableError('redis', { cause: error }) : error
    }
  }
  const run = (which: typeof ping, realmId: number, ...args: (string | number)[]): Promise<unknown> => {
    const prefix = prefixOf(realmId)
    // The key only tells a Redis Cluster where the organization lives; the scripts name the keys by its prefix.
    return guard(which(redis, [`${prefix}state`], [prefix, ...bounds, ...args]))
  }
  const goneKey = (realmId: number, userId: number): string => `${prefixOf(realmId)}gone:${userId}`

  /** Keys are not listed anywhere: all are looked at. Rare, and never for a request. */
  async function* keysOf(realmId: number): AsyncGenerator<string[]> {
    for (let cursor = '0'; ; ) {
      const [next, keys] = await guard(redis.scan(cursor, 'MATCH', `${prefixOf(realmId)}*`, 'COUNT', 1000))
      if (keys.length > 0) yield keys
      if (next === '0') return
      cursor = next
    }
  }

  const pinged = async (
    realmId: number,
    userId: number,
    isActive: boolean,
    hidden: '' | '0' | '1',
  ): Promise<Pinged | { lastUpdateId: number } | 'unknown'> => {
    const answer = (await run(ping, realmId, userId, isActive ? 1 : 0, hidden)) as string[]
    const [outcome, last, record, cameBack, online] = answer
    if (outcome === 'unknown') return 'unknown'
    const lastUpdateId = Number(last)
    if (outcome === 'unseen') return { lastUpdateId }
    return {
      lastUpdateId,
      seen: lastSeen(record!),
      cameBack: cameBack === '1',
      online: Number(online),
    }
  }

  return {
    async ping(realmId, userId, isActive, isHidden) {
      const first = await pinged(realmId, userId, isActive, '')
      if (first !== 'unknown') return first
      const second = await pinged(realmId, userId, isActive, (await isHidden()) ? '1' : '0')
      if (second === 'unknown') throw new Error('the ping script did not take an answer')
      return second
    },
    async hide(realmId, userId, isHidden) {
      return lastSeen((await run(hide, realmId, userId, isHidden ? 1 : 0)) as string)
    },
    async one(realmId, userId) {
      const record = await guard(redis.hget(`${prefixOf(realmId)}state`, String(userId)))
      return record === null ? undefined : lastSeen(record)
    },
    async changes(realmId, after, most) {
      const [last, ...rows] = (await run(changes, realmId, after, most)) as string[]
      const found: PresenceChange[] = []
      for (let at = 0; at < rows.length; at += 3) {
        found.push({
          userId: Number(rows[at]),
          id: Number(rows[at + 1]),
          seen: lastSeen(rows[at + 2]!),
        })
      }
      return { lastUpdateId: Number(last), changes: found }
    },
    async remove(realmId, userId) {
      await run(remove, realmId, userId, goneSeconds)
    },
    async restore(realmId, userId) {
      await guard(redis.del(goneKey(realmId, userId)))
    },
    async forgetRealm(realmId) {
      for await (const keys of keysOf(realmId)) await guard(redis.unlink(...keys))
    },
    async keysOf(realmId) {
      let count = 0
      for await (const keys of keysOf(realmId)) count += keys.length
      return count
    },
  }
}
