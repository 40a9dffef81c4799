import type { SeenSequences } from '@parley/bus'
import { EngineUnavailableError } from '@parley/contracts'
import { isRedisAway } from '@parley/kit/redis'
import type { Redis } from 'ioredis'
import type { QueueEntry } from '../queues/queue-records.ts'
import type { Delivery } from '../shards/append-plan.ts'
import { shardScript } from './script.ts'

const scripts = {
  append: shardScript('append'),
  poll: shardScript('poll'),
  close: shardScript('close'),
  compare: shardScript('compare'),
  sweep: shardScript('sweep'),
  trim: shardScript('trim'),
}

/** Every key of a shard begins with this, so that Redis Cluster keeps them in one place. */
export const shardPrefix = (shard: number): string => `{s${shard}}`
export const wakeChannel = (shard: number): string => `${shardPrefix(shard)}wake`

/** What one batch of the log does to a shard. */
export interface Append {
  /** Offsets: the batch begins at `from`, which must be where the shard stands, and ends before `to`. */
  readonly from: number
  readonly to: number
  readonly deliveries: readonly Delivery[]
  /** Stored texts of the records that are delivered, by offset. */
  readonly texts: readonly (readonly [offset: number, text: string])[]
  readonly opened: readonly { number: number; entry: QueueEntry; token: string }[]
  readonly settled: readonly { number: number; entry: QueueEntry; contained: readonly number[] }[]
  readonly sequences: SeenSequences
}

export type AppendOutcome =
  | { readonly done: true; readonly gone: readonly number[]; readonly full: readonly number[] }
  /** Nothing was done: the shard stands elsewhere (undefined: it is empty). */
  | { readonly done: false; readonly position: number | undefined }

export interface PollRequest {
  readonly queue: number
  readonly token: string
  readonly lastEventId: number | undefined
  readonly wantsEntry: boolean
}

/**
 * - `early`: opened in the log after the shard's position, or not settled yet.
 * - `ahead`: acknowledges a record at or after the shard's position.
 * - `pruned`: events after this ID were acknowledged before. `never`: no event of the queue has this ID.
 */
export type PollOutcome =
  | { readonly status: 'unknown' | 'early' }
  | { readonly status: 'pruned' | 'never' | 'ahead'; readonly acknowledged: number }
  | {
      readonly status: 'ok'
      readonly acknowledged: number
      readonly entry: QueueEntry | undefined
      readonly offsets: readonly number[]
      /** There are more unread records than one answer takes. */
      readonly more: boolean
    }

interface PollAnswers {
  /** Where the shard stood; -1 when it is empty. */
  readonly position: number
  readonly polls: readonly PollOutcome[]
}

/** A shard's whole content that its owner keeps in memory. */
interface StoredShard {
  readonly position: number | undefined
  readonly sequences: SeenSequences
  readonly queues: ReadonlyMap<number, QueueEntry>
  /** Queues that are not settled, with the records that they hold. */
  readonly unsettled: ReadonlyMap<number, readonly number[]>
}

/** Seconds between sweeps from which on clients are not blamed for not polling. */
const longestPause = 60
/** Records per poll answer. */
const recordsPerPoll = 1000

/** The queues of all shards in Redis. Every change is one script of one shard. */
export interface ShardStore {
  load(shard: number): Promise<StoredShard>
  position(shard: number): Promise<number | undefined>
  /** Gives an empty shard its position. */
  initialise(shard: number, position: number): Promise<void>
  append(shard: number, append: Append, maxPending: number): Promise<AppendOutcome>
  poll(shard: number, requests: readonly PollRequest[]): Promise<PollAnswers>
  /** Closes queues; without a token, whoever owns them. Answers which were there. */
  close(shard: number, queues: readonly (readonly [number, token: string | false])[]): Promise<number[]>
  /** Closes all but `most` of these queues: those that were not polled for longest. Answers which. */
  trim(shard: number, queues: readonly number[], most: number): Promise<number[]>
  /** Where the shard stands (-1: it is empty), and its queues, unless they are as many as `remembered`. */
  compare(
    shard: number,
    remembered: number,
  ): Promise<{ position: number; queues: readonly number[] | undefined }>
  /** Tells every process that queues are gone which Redis holds no more. */
  announceClosed(shard: number, queues: readonly number[]): Promise<void>
  /** Closes those of the given queues that were idle for too long; the others are given a time to look again. */
  sweep(
    shard: number,
    queues: readonly (readonly [number, idleSeconds: number])[],
  ): Promise<{ position: number; now: number; due: readonly (readonly [number, number])[] }>
  /** Texts of records, undefined for those that no queue holds any more. */
  texts(shard: number, offsets: readonly number[]): Promise<(string | undefined)[]>
}

const toPollOutcome = (answer: readonly (string | number)[]): PollOutcome => {
  const [status, acknowledged, entry, ...offsets] = answer
  switch (status) {
    case 'ok':
      return {
        status,
        acknowledged: Number(acknowledged),
        entry: entry === '' ? undefined : (JSON.parse(String(entry)) as QueueEntry),
        offsets: offsets.map(Number),
        more: offsets.length >= recordsPerPoll,
      }
    case 'pruned':
    case 'never':
    case 'ahead':
      return { status, acknowledged: Number(acknowledged) }
    default:
      return { status: status === 'early' ? 'early' : 'unknown' }
  }
}

const pairs = <T>(flat: readonly T[]): [T, T][] => {
  const found: [T, T][] = []
  for (let index = 0; index + 1 < flat.length; index += 2) found.push([flat[index]!, flat[index + 1]!])
  return found
}

const guarded = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    throw isRedisAway(error) ? new EngineUnavailableError('redis', { cause: error }) : error
  }
}

/** What hashes hold at one moment: who had the shard until now may be appending still. */
const fieldsOfOneMoment = async (
  redis: Redis,
  keys: readonly string[],
): Promise<Record<string, string>[]> => {
  const multi = redis.multi()
  for (const key of keys) multi.hgetall(key)
  const answers = (await multi.exec()) ?? []
  return answers.map(([error, fields]) => {
    if (error !== null) throw error
    return fields as Record<string, string>
  })
}

const wakeUpOf = (append: Append): string =>
  JSON.stringify({
    from: append.from,
    to: append.to,
    at: Date.now(),
    groups: append.deliveries,
    offsets: append.texts.map(([offset]) => offset),
    settled: append.settled.map(({ number }) => number),
  })

export const openShardStore = (redis: Redis): ShardStore => ({
  async load(shard) {
    const prefix = shardPrefix(shard)
    const [state, queues] = await guarded(fieldsOfOneMoment(redis, [`${prefix}state`, `${prefix}queues`]))
    const position = state!.position === undefined ? undefined : Number(state!.position)
    const sequences: SeenSequences = {}
    for (const [field, value] of Object.entries(state!)) {
      if (field.startsWith('seq:')) sequences[field.slice(4)] = Number(value)
    }
    const entries = new Map<number, QueueEntry>()
    for (const [number, text] of Object.entries(queues!)) {
      entries.set(Number(number), JSON.parse(text) as QueueEntry)
    }
    const unsettled = new Map<number, number[]>()
    const fresh = [...entries].filter(([, entry]) => !entry.opened.settled).map(([number]) => number)
    const held = await guarded(Promise.all(fresh.map((n) => redis.lrange(`${prefix}q:${n}`, 1, -1))))
    for (const [index, number] of fresh.entries()) {
      const offsets = held[index]!.map(Number).filter((offset) => offset < (position ?? 0))
      unsettled.set(number, offsets)
    }
    return {
      position,
      sequences,
      queues: entries,
      unsettled,
    }
  },

  async position(shard) {
    const position = await guarded(redis.hget(`${shardPrefix(shard)}state`, 'position'))
    return position === null ? undefined : Number(position)
  },

  async initialise(shard, position) {
    await guarded(redis.hsetnx(`${shardPrefix(shard)}state`, 'position', String(position)))
  },

  async append(shard, append, maxPending) {
    const answer = (await guarded(
      scripts.append(redis, shardPrefix(shard), [
        wakeUpOf(append),
        maxPending,
        JSON.stringify(
          append.opened.map(({ number, entry, token }) => [
            number,
            JSON.stringify(entry),
            token,
            entry.opened.settled ? '-1' : 'new',
          ]),
        ),
        JSON.stringify(
          append.settled.map(({ number, entry, contained }) => [number, JSON.stringify(entry), contained]),
        ),
        JSON.stringify(Object.entries(append.sequences).flat()),
        ...append.texts.map(([, text]) => text),
      ]),
    )) as string[]
    const [position, gone, full] = answer
    if (position !== '') {
      return { done: false, position: position === 'none' ? undefined : Number(position) }
    }
    return { done: true, gone: JSON.parse(gone!) as number[], full: JSON.parse(full!) as number[] }
  },

  async poll(shard, requests) {
    const [position, ...answers] = (await guarded(
      scripts.poll(redis, shardPrefix(shard), [
        recordsPerPoll,
        JSON.stringify(
          requests.map(({ queue, token, lastEventId, wantsEntry }) => [
            queue,
            token,
            lastEventId ?? null,
            wantsEntry ? 1 : 0,
          ]),
        ),
      ]),
    )) as [number, ...(string | number)[][]]
    return { position, polls: answers.map(toPollOutcome) }
  },

  async close(shard, queues) {
    return (await guarded(scripts.close(redis, shardPrefix(shard), [JSON.stringify(queues)]))) as number[]
  },

  async trim(shard, queues, most) {
    const args = [JSON.stringify(queues), most]
    return (await guarded(scripts.trim(redis, shardPrefix(shard), args))) as number[]
  },

  async compare(shard, remembered) {
    const [position, count, ...queues] = (await guarded(
      scripts.compare(redis, shardPrefix(shard), [remembered]),
    )) as [number, number, ...number[]]
    return { position, queues: count === remembered ? undefined : queues }
  },

  async announceClosed(shard, queues) {
    if (queues.length > 0)
      await guarded(redis.publish(wakeChannel(shard), JSON.stringify({ closed: queues })))
  },

  async sweep(shard, queues) {
    const [position, now, ...due] = (await guarded(
      scripts.sweep(redis, shardPrefix(shard), [JSON.stringify(queues), longestPause]),
    )) as [number, number, ...number[]]
    return { position, now, due: pairs(due) }
  },

  async texts(shard, offsets) {
    if (offsets.length === 0) return []
    const prefix = shardPrefix(shard)
    const found = await guarded(redis.mget(offsets.map((offset) => `${prefix}p:${offset}`)))
    return found.map((text) => text ?? undefined)
  },
})
