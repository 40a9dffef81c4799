/** What the tests of this service share: a shard of their own in a real Redis, and the log that leads to it. */
import { randomInt } from 'node:crypto'
import type { AdvanceNotice, ReceivedRecord } from '@parley/bus'
import { splitByShard } from '@parley/bus/client-events'
import { type Audience, ClientCapabilities } from '@parley/contracts'
import { eventually } from '@parley/testkit'
import { Redis } from 'ioredis'
import { expect } from 'vitest'
import { newSecret } from '../queues/queue-id.ts'
import {
  type Known,
  kindHeader,
  type OwnRecordKind,
  ownerToken,
  type QueueOpened,
  type Released,
} from '../queues/queue-records.ts'
import { deliveryPace } from '../shards/delivery-pace.ts'
import { type Release, releasedRecord } from '../shards/release.ts'
import { type OwnerOptions, ShardOwner } from '../shards/shard-owner.ts'
import { openShardStore, type ShardStore, shardPrefix } from '../store/shard-store.ts'

const redisUrl = (): string => {
  const url = process.env.REDIS_URL
  if (url === undefined) throw new Error('these tests need REDIS_URL')
  return url
}

export const connectRedis = (): Redis => new Redis(redisUrl(), { enableAutoPipelining: true })

/** Far from the shards of the services that may use the same Redis. */
const unusedShard = (): number => randomInt(10_000, 999_999)

export const quietLog = { info: () => {}, warn: () => {}, error: () => {} }

export const realm = 7

/** A shard's log in the test's hands; records have the form that Kafka's have. */
class TestLog {
  readonly records: ReceivedRecord[] = []
  /** Offset of the first record. */
  readonly start = randomInt(1, 1_000_000)
  /** The last number of each source. */
  readonly #seqs: Record<string, number> = {}

  get end(): number {
    return this.start + this.records.length
  }

  open(opened: Partial<QueueOpened> & { user: number }): { number: number; token: string; secret: string } {
    const full: QueueOpened = { ...defaults, secret: newSecret(), ...opened }
    const number = this.#own('queue-opened', JSON.stringify(full))
    return { number, token: ownerToken(full), secret: full.secret }
  }

  settle(queue: number, known: Record<string, Known> = {}): number {
    return this.#own('queue-settled', JSON.stringify({ queue, known }))
  }

  release(released: Released): number {
    return this.#own('released', JSON.stringify(released))
  }

  tick(): number {
    return this.#own('tick', '')
  }

  /** Appends one client event as a relay writes it, and answers its offset. */
  event(
    event: object,
    to: Omit<Audience, 'realm'>,
    options: { xid?: number; seq?: number; source?: string } = {},
  ): number {
    return this.announce(event, to, options).publish()
  }

  /** What a relay tells of such an event in advance, and the rest of its work. */
  announce(
    event: object,
    to: Omit<Audience, 'realm'>,
    options: { xid?: number; seq?: number; source?: string } = {},
  ): { notice: AdvanceNotice; publish: () => number } {
    const { xid = 1000, source = 'channels' } = options
    const after = this.#seqs[source] ?? 0
    this.#seqs[source] = after + 1
    const { seq = after + 1 } = options
    const [record] = splitByShard(
      {
        audience: { realm, ...to },
        users: to.users ?? [],
        source,
        xid,
        at: Date.now(),
        event: JSON.stringify(event),
      },
      1,
    )
    const { value } = record!
    return {
      notice: { source, after, traceparent: undefined, value },
      publish: () => this.#append(value, {}, seq, source),
    }
  }

  malformed(): number {
    return this.#append('{"v":1', {}, undefined)
  }

  #own(kind: OwnRecordKind, value: string): number {
    return this.#append(value, { [kindHeader]: kind }, undefined)
  }

  #append(
    value: string,
    headers: Record<string, string>,
    seq: number | undefined,
    source = 'channels',
  ): number {
    const offset = this.end
    this.records.push({
      topic: 'client-events',
      partition: 0,
      offset,
      key: null,
      value,
      headers,
      source: seq === undefined ? undefined : source,
      seq,
      traceparent: undefined,
    })
    return offset
  }
}

/** Began before everything: no shard is told of it. */
const nothingNew: Release = { name: 'first', since: 0 }

const defaults: Omit<QueueOpened, 'secret' | 'user'> = {
  realm,
  types: null,
  narrow: [],
  all_public: false,
  shape: {
    apply_markdown: true,
    client_gravatar: false,
    slim_presence: false,
    capabilities: ClientCapabilities.parse({}),
  },
  idle: 600,
  settled: true,
}

export interface ShardFixture {
  readonly redis: Redis
  readonly store: ShardStore
  readonly shard: number
  readonly log: TestLog
  /** Who was said to listen to all public channels, each time that it was said. */
  readonly listening: { realm_id: number; user_id: number }[]
  /** An owner that reads the log whenever it seeks. */
  owner(options?: {
    maxPending?: number
    maxQueues?: number
    refuses?: (opened: QueueOpened) => boolean
    pace?: OwnerOptions['pace']
    release?: Release
    /** The polls of the owner's process. */
    foretell?: OwnerOptions['foretell']
    tellAhead?: OwnerOptions['tellAhead']
    store?: ShardStore
  }): ShardOwner
  /** Hands the owner everything of the log that it has not applied, and waits until it has. */
  apply(owner: ShardOwner): Promise<void>
  /** Waits until Redis holds what the log holds; the owner has to notice by itself. */
  caughtUp(owner: ShardOwner): Promise<void>
  /** Offsets of the records that a queue holds unread, or what else a poll of it comes to. */
  unread(queue: { number: number; token: string }, lastEventId?: number): Promise<readonly number[] | string>
  keys(): Promise<string[]>
  close(): Promise<void>
}

export const shardFixture = (): ShardFixture => {
  const redis = connectRedis()
  const store = openShardStore(redis)
  const shard = unusedShard()
  const log = new TestLog()
  const setAside: ReceivedRecord[] = []
  const listening: { realm_id: number; user_id: number }[] = []
  const keys = async (): Promise<string[]> => (await redis.keys(`${shardPrefix(shard)}*`)).sort()
  const from = (offset: number): ReceivedRecord[] => log.records.filter((record) => record.offset >= offset)

  return {
    redis,
    store,
    shard,
    log,
    listening,
    keys,
    owner({
      maxPending = 10_000,
      maxQueues = 100,
      refuses = () => false,
      pace = deliveryPace(),
      release = nothingNew,
      foretell = () => false,
      tellAhead = () => 0,
      store: ownerStore = store,
    } = {}) {
      const owner: ShardOwner = new ShardOwner({
        shard,
        store: ownerStore,
        log: quietLog,
        maxPending,
        maxQueues,
        seek: (offset) => setImmediate(() => void owner.receive(from(offset))),
        logStart: async () => log.start,
        tick: async () => log.tick(),
        release,
        announceRelease: async () => log.release(releasedRecord(release)),
        listen: async (listeners) => void listening.push(...listeners),
        setAside: async (record) => void setAside.push(record),
        refuses,
        foretell,
        tellAhead,
        pace,
      })
      return owner
    },
    async apply(owner) {
      const position = (await owner.load()) ?? log.start
      await owner.receive(from(position))
      while ((await store.position(shard)) !== log.end) {
        await new Promise((resolve) => setTimeout(resolve, 2))
        await owner.receive(from((await store.position(shard)) ?? log.start))
      }
    },
    caughtUp: (owner) =>
      eventually(async () => {
        await owner.sweep()
        expect(owner.isBusy).toBe(false)
        expect(await store.position(shard)).toBe(log.end)
      }),
    async unread({ number: queue, token }, lastEventId) {
      const outcome = (await store.poll(shard, [{ queue, token, lastEventId, wantsEntry: false }])).polls[0]!
      return outcome.status === 'ok' ? outcome.offsets : outcome.status
    },
    async close() {
      const left = await keys()
      if (left.length > 0) await redis.del(...left)
      redis.disconnect()
    },
  }
}

const dropAll = `for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end`

/** Copies of all keys of a shard, to be put back later, at one moment: what is left when Redis loses its last second. */
export const saveShard = async ({ redis, shard, keys }: ShardFixture): Promise<() => Promise<void>> => {
  const names = await keys()
  const copies = await Promise.all(names.map((name) => redis.dumpBuffer(name)))
  return async () => {
    const multi = redis.multi().eval(dropAll, 0, `${shardPrefix(shard)}*`)
    for (const [index, name] of names.entries()) multi.restore(name, 0, copies[index]!)
    await multi.exec()
  }
}
