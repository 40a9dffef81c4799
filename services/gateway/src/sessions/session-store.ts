import { createHash, randomBytes } from 'node:crypto'
import { redisScript } from '@parley/kit/redis-script'
import type { Redis } from 'ioredis'

/** A browser that logged in. Its secret is in the browser's cookie only; Redis knows a hash of it. */
export interface Session {
  /** What the account's owner sees of it, and ends it by. */
  readonly id: string
  readonly realmId: number
  readonly userId: number
  readonly csrfToken: string
  /** UNIX seconds; with their fraction, so that what follows within one is later. */
  readonly createdAt: number
  readonly seenAt: number
  readonly address: string
  readonly userAgent: string
}

export interface SessionStore {
  /** @returns the session and the token for the cookie. */
  open(of: {
    realmId: number
    userId: number
    createdAt: number
    address: string
    userAgent: string
  }): Promise<{ session: Session; token: string }>
  find(token: string): Promise<Session | undefined>
  /** Latest first. */
  list(userId: number): Promise<Session[]>
  /** @returns whether there was such a session. */
  end(userId: number, id: string): Promise<boolean>
  endAll(userId: number, except?: string): Promise<void>
}

/** Seconds between two notes that a session is in use. */
const seenInterval = 300

/** Sessions of one account; the oldest is ended by one more. */
const mostSessions = 100

const touch = redisScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HSET', KEYS[1], 'seen', ARGV[1])
  redis.call('EXPIRE', KEYS[1], ARGV[2])
  redis.call('EXPIRE', KEYS[2], ARGV[2])
end`)

/** All keys of an account in one slot of a Redis Cluster. */
const indexKey = (userId: number): string => `sessions:{${userId}}`
const sessionKey = (userId: number, id: string): string => `session:{${userId}}:${id}`

const idOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

const now = (): number => Math.floor(Date.now() / 1000)

const read = (id: string, fields: Record<string, string>): Session | undefined =>
  fields.user === undefined
    ? undefined
    : {
        id,
        realmId: Number(fields.realm),
        userId: Number(fields.user),
        csrfToken: fields.csrf ?? '',
        createdAt: Number(fields.created),
        seenAt: Number(fields.seen),
        address: fields.address ?? '',
        userAgent: fields.agent ?? '',
      }

/** `idleSeconds`: a session that is not used for so long ends by itself. */
export const sessionStore = (redis: Redis, idleSeconds: number): SessionStore => {
  const end = async (userId: number, ids: readonly string[]): Promise<number> => {
    if (ids.length === 0) return 0
    await redis.zrem(indexKey(userId), ...ids)
    return redis.del(...ids.map((id) => sessionKey(userId, id)))
  }

  const found = async (userId: number, id: string): Promise<Session | undefined> =>
    read(id, await redis.hgetall(sessionKey(userId, id)))

  return {
    async open({ realmId, userId, createdAt, address, userAgent }) {
      const secret = randomBytes(32).toString('base64url')
      const id = idOf(secret)
      const csrfToken = randomBytes(24).toString('base64url')
      const at = now()
      const session: Session = {
        id,
        realmId,
        userId,
        csrfToken,
        createdAt,
        seenAt: at,
        address,
        userAgent: userAgent.slice(0, 300),
      }
      await redis
        .multi()
        .hset(sessionKey(userId, id), {
          realm: realmId,
          user: userId,
          csrf: csrfToken,
          created: createdAt,
          seen: at,
          address,
          agent: session.userAgent,
        })
        .expire(sessionKey(userId, id), idleSeconds)
        .zadd(indexKey(userId), at, id)
        .expire(indexKey(userId), idleSeconds)
        .exec()
      await end(userId, await redis.zrange(indexKey(userId), '0', String(-mostSessions - 1)))
      return { session, token: `${userId}.${secret}` }
    },

    async find(token) {
      const match = /^(\d{1,15})\.([\w-]{43})$/.exec(token)
      if (match === null) return undefined
      const userId = Number(match[1])
      const session = await found(userId, idOf(match[2]!))
      if (session !== undefined && now() - session.seenAt >= seenInterval) {
        await touch(redis, [sessionKey(userId, session.id), indexKey(userId)], [now(), idleSeconds])
      }
      return session
    },

    async list(userId) {
      const ids = await redis.zrevrange(indexKey(userId), 0, -1)
      const sessions = await Promise.all(ids.map((id) => found(userId, id)))
      await end(
        userId,
        ids.filter((_, at) => sessions[at] === undefined),
      )
      return sessions.filter((session) => session !== undefined)
    },

    end: async (userId, id) => (await end(userId, [id])) > 0,

    async endAll(userId, except) {
      const ids = await redis.zrange(indexKey(userId), '0', '-1')
      await end(
        userId,
        ids.filter((id) => id !== except),
      )
    },
  }
}
