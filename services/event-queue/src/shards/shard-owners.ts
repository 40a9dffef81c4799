import {
  type AdvanceNotice,
  type Bus,
  clientEventsTopic,
  consumeShards,
  type ShardConsumer,
  shardOf,
} from '@parley/bus'
import { setAside } from '@parley/bus/dead-letters'
import { listenToPublicChannels } from '@parley/contracts/channels/internals'
import type { Ask } from '@parley/kit'
import type { Accounts } from '../accounts/accounts.ts'
import type { Ahead } from '../polls/ahead.ts'
import type { ShardLog } from '../queues/shard-log.ts'
import type { Append, ShardStore } from '../store/shard-store.ts'
import { deliveryPace } from './delivery-pace.ts'
import { type Release, releasedRecord } from './release.ts'
import { type OwnerOptions, ShardOwner } from './shard-owner.ts'

export interface OwnersOptions {
  readonly bus: Bus
  readonly store: ShardStore
  readonly shardLog: ShardLog
  readonly ask: Ask
  readonly accounts: Accounts
  readonly log: OwnerOptions['log']
  readonly shards: number
  readonly maxPending: number
  readonly maxQueues: number
  readonly release: Release
  /** Tells the polls of this process what is about to be appended to a shard; true when that answers some of them. */
  readonly foretell: (shard: number, append: Append) => boolean
  /** Tells them what is on its way to a shard's log; answers how many heard it. */
  readonly tellAhead: (shard: number, ahead: Ahead) => number
}

const consumerName = 'event-queue'
const sweepInterval = 5000

/** The shards that this process owns at the moment; which those are is Kafka's to say. */
export class ShardOwners {
  readonly #options: OwnersOptions
  readonly #owners = new Map<number, ShardOwner>()
  readonly #pace = deliveryPace()
  #owned: ReadonlySet<number> = new Set()
  #consumer: ShardConsumer | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: OwnersOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    this.#consumer = await consumeShards({
      bus: this.#options.bus,
      name: consumerName,
      onAssigned: (partition) => this.#owner(partition).load(),
      handle: (partition, records) => this.#owner(partition).receive(records),
      onOwned: (partitions) => this.#own(partitions),
    })
    this.#timer = setInterval(() => void this.#sweep(), sweepInterval)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#consumer?.stop()
    for (const owner of this.#owners.values()) owner.release()
  }

  /** Word of a record on its way to the log; of shards of other processes nothing is done. */
  takeNotice(shard: number, notice: AdvanceNotice): void {
    if (this.#owned.has(shard)) this.#owners.get(shard)?.takeNotice(notice)
  }

  /** Resolves once all that stands in the logs of a realm's queues now is in them, as far as their shards are ours. */
  async caughtUp({ realm }: { realm: number }): Promise<void> {
    await Promise.all(
      [...this.#owners.values()].filter((owner) => owner.hasQueuesOf(realm)).map((owner) => owner.caughtUp()),
    )
  }

  /** Closes those queues of a user, or of a realm, that may not be any more, as far as their shards are ours. */
  async closeRefused(whose: { user: number } | { realm: number }): Promise<void> {
    const { shards } = this.#options
    for (const [shard, owner] of this.#owners) {
      if ('user' in whose && shard !== shardOf(whose.user, shards)) continue
      await owner.closeRefused(whose)
    }
  }

  #own(partitions: readonly number[]): void {
    const before = this.#owned
    this.#owned = new Set(partitions)
    for (const shard of before) if (!this.#owned.has(shard)) this.#owners.get(shard)?.release()
    for (const shard of partitions) {
      if (before.has(shard)) continue
      // A shard is looked at when its log brings something: this brings something.
      this.#options.shardLog
        .tick(shard)
        .catch((error) => this.#options.log.warn({ err: error, shard }, 'a new shard could not be moved'))
    }
  }

  #owner(shard: number): ShardOwner {
    const known = this.#owners.get(shard)
    if (known !== undefined) return known
    const { bus, store, shardLog, ask, accounts, log, maxPending, maxQueues, release, foretell, tellAhead } =
      this.#options
    const owner = new ShardOwner({
      shard,
      store,
      log,
      maxPending,
      maxQueues,
      release,
      announceRelease: () => shardLog.release(shard, releasedRecord(release)),
      seek: (offset) => this.#consumer?.seek(shard, offset),
      logStart: () => this.#logStart(shard),
      tick: () => shardLog.tick(shard),
      listen: (listeners) => ask(listenToPublicChannels, { listeners: [...listeners] }),
      setAside: (record, error) => setAside(bus, consumerName, record, error, 1),
      refuses: (opened) => accounts.refuses(opened),
      foretell: (append) => foretell(shard, append),
      tellAhead: (ahead) => tellAhead(shard, ahead),
      pace: this.#pace,
    })
    this.#owners.set(shard, owner)
    return owner
  }

  async #logStart(shard: number): Promise<number> {
    const ranges = await this.#options.bus.ranges(clientEventsTopic)
    return ranges.find(({ partition }) => partition === shard)?.start ?? 0
  }

  async #sweep(): Promise<void> {
    for (const [shard, owner] of this.#owners) {
      if (!this.#owned.has(shard)) continue
      await owner
        .sweep()
        .catch((error) => this.#options.log.warn({ err: error, shard }, 'a shard could not be swept'))
    }
  }
}
